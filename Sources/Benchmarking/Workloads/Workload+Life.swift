internal import Foundation
internal import Settee
internal import StorageProtocol

/// Opening, importing, exporting and changing the engine.
extension Workload {
    static let life: [Workload] = [
        Workload(
            name: "bulk",
            group: .life,
            summary: "the import of JSON lines: parsed on all cores, saved on one",
            content: .empty,
            baseline: .library("bulk", leavesOut: jsonAndRevisions),
            latencyOf: "import",
            prepare: { run in run.pieces = pieces(run) },
            run: { run in
                let queue = Pieces(run.pieces)
                let importer = BulkImporter(into: run.database, options: ImportOptions())
                let outcome = try run.latencies.time {
                    try importer.run(chunk: queue.next, failure: { throw $0.error }, committed: { _, _ in })
                }
                if let error = outcome.interruption { throw error }
                try run.expect(outcome.documents)
                return run.allWritten()
            }
        ),
        Workload(
            name: "export",
            group: .life,
            summary: "everything the database holds as text, thrown away",
            onlyReads: true,
            latencyOf: "export",
            run: { run in
                try run.latencies.time {
                    _ = try run.database.exportAll { bytes in run.checksum &+= touch(bytes) }
                }
                return Work(operations: run.count)
            }
        ),
        Workload(
            name: "open",
            group: .life,
            summary: "opening the database and reading one document",
            unit: "openings",
            baseline: .library("open"),
            latencyOf: "opening",
            refusal: { $0.hasFiles ? nil : "nothing to open" },
            run: { run in
                try run.openOften {
                    run.checksum &+= touch(try WorkloadRun.found(try run.database[run.id(0)].json()))
                }
            }
        ),
        Workload(
            name: "convert",
            group: .life,
            summary: "upgrading to the other engine in place: SQLite to LMDB, all others to SQLite",
            latencyOf: "conversion",
            refusal: { $0.hasFiles ? nil : "it has no files" },
            run: { run in
                let target: StorageType = run.database.storageType == .sqlite ? .lmdb : .sqlite
                try run.latencies.time {
                    try run.database.convert(to: target, decrypt: run.key != nil)
                }
                return Work(operations: run.count)
            }
        ),
        Workload(
            name: "copy",
            group: .life,
            summary: "a copy of the open database",
            latencyOf: "copy",
            refusal: { $0.hasFiles ? nil : "it has no files" },
            run: { run in
                let copy = run.folder.appending(path: "copy-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: copy) }
                try run.latencies.time { try run.database.copy(to: copy) }
                return Work(operations: run.count)
            }
        ),
    ]

    /// The documents with their IDs in pieces of text, as an import reads them.
    private static func pieces(_ run: WorkloadRun) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = []
        for index in 0..<run.count {
            let body = run.documents.body(index)
            piece += Array("{\"_id\":\"\(run.id(index))\"".utf8)
            if body.count > 2 { piece.append(UInt8(ascii: ",")) }
            piece += body.dropFirst()
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= 1 << 18 {
                pieces.append(piece)
                piece = []
            }
        }
        pieces.append(piece)
        return pieces
    }
}

/// Text that any thread can take piece by piece.
private final class Pieces: Sendable {
    private let rest: Locked<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { rest = Locked(pieces[...]) }

    func next() -> [UInt8]? { rest.withLock { $0.popFirst() } }
}
