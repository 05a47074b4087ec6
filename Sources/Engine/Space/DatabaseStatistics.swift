internal import Dispatch
internal import Foundation
internal import SetteeStorageFiles
public import StorageProtocol

/// Figures of a database that can be found without reading its documents.
public struct DatabaseStatistics: Sendable {
    /// The type of the engine that stores the database.
    public var storageType: StorageType
    /// How the bodies of documents are stored.
    public var compression: Compression
    /// The number of documents whose current revision is not a tombstone.
    public var documentCount: UInt64
    /// The highest sequence ever used; 0 in a new database.
    public var lastSequence: UInt64
    /// Whether the data on disk is encrypted.
    public var isEncrypted: Bool
    /// Whether the folder of an encrypted database lets others than its owner in (docs/guide/security.md).
    public var isOpenToOthers: Bool
    /// The keys that open the database, one entry for each; empty if it is not encrypted.
    public var keySlots: [KeySlotFigures]
    /// The bytes that all files of the database occupy on disk, including attachments; 0 in memory.
    public var bytesOnDisk: UInt64
    /// The bytes inside the engine's files that are free; compaction gives them back.
    public var freeBytes: UInt64
    /// The UUID of the database; nil in memory.
    public var uuid: String?
    /// Figures of the engine by name, as text.
    public var details: [(name: String, value: String)]
    /// The state of rewriting the files: whether it is in progress, how the last time went, and what prevents it.
    public var compaction: CompactionStatus
    /// The open snapshots of this process, the oldest first, followed by the oldest one of each other process whose
    /// snapshots may read attachments. Old snapshots make the files grow.
    public var openSnapshots: [OpenSnapshot]
    /// What killed conversions and compactions have left in the folder.
    public var leftovers: [Database.Leftover]
}

extension Database {
    /// Returns figures of the database and its engine.
    ///
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `fileSystem` (498), `storage` (590).
    /// - Complexity: one look at each file.
    public func statistics() throws(StorageError) -> DatabaseStatistics {
        let counters = try counters()
        let generation = try enter()
        defer { leave(generation) }
        let engine = try generation.engine.statistics()
        return DatabaseStatistics(
            storageType: generation.setup.factory.storageType,
            compression: compression,
            documentCount: counters.liveDocuments,
            lastSequence: counters.lastSequence,
            isEncrypted: generation.setup.isEncrypted,
            isOpenToOthers: isOpenToOthers,
            keySlots: (folder?.manifest.keySlots ?? []).map { KeySlotFigures($0) },
            bytesOnDisk: try folder?.bytesOnDisk() ?? engine.bytesOnDisk,
            freeBytes: engine.freeBytes,
            uuid: folder?.databaseUUID,
            details: engine.details,
            compaction: compactor.status,
            openSnapshots: try openSnapshots(at: counters.changeCounter),
            leftovers: try leftovers()
        )
    }

    /// Whether the folder of an encrypted database lets others than its owner in. Reads nothing of the database.
    package var isOpenToOthers: Bool { folder?.isOpenToOthers ?? false }

    private func openSnapshots(at changeCounter: UInt64) throws(StorageError) -> [OpenSnapshot] {
        let now = DispatchTime.now().uptimeNanoseconds
        let process = UInt32(bitPattern: ProcessInfo.processInfo.processIdentifier)
        let program = ProcessInfo.processInfo.processName
        let own = snapshotTimes.map { start in
            let age = Duration.nanoseconds(Int64(clamping: now - min(start, now)))
            return OpenSnapshot(process: process, program: program, age: age, commitsBehind: nil)
        }
        let others = try folder?.holders().compactMap { holder -> OpenSnapshot? in
            guard !holder.isOwn, let oldest = holder.oldestSnapshot else { return nil }
            let behind = changeCounter - min(oldest, changeCounter)
            return OpenSnapshot(
                process: holder.process,
                program: holder.program,
                age: holder.oldestSnapshotAge,
                commitsBehind: behind
            )
        }
        return own + (others ?? [])
    }
}
