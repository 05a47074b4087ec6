internal import StorageProtocol
internal import Synchronization

/// The staged contents that are still held, by the digests that entries with `follows` use.
final class StagedAttachments: Sendable {
    private struct Weak: Sendable {
        weak let staged: StagedAttachment?
    }

    private struct Table {
        var contents: [AttachmentDigest: [Weak]] = [:]
        /// When there are this many digests, the ones of released contents are removed.
        var limit = 64
    }

    private let table = Locked(Table())
    private let digest: (@Sendable ([UInt8]) -> [UInt8])?
    /// How often the database may have got another store, or a content was written for another one.
    private let switches = Atomic<UInt64>(0)
    /// The value of `switches` up to which `bring` has finished.
    private let dealtWith = Locked<UInt64>(0)
    private let lastDealtWith = Atomic<UInt64>(0)

    /// - Parameter digest: maps SHA-1s of contents to other digests, so that two contents can have the same one; nil:
    ///   digests are SHA-1s.
    init(digest: (@Sendable ([UInt8]) -> [UInt8])?) { self.digest = digest }

    /// The digest by which references name a content with this SHA-1.
    func digest(ofSHA1 sha1: [UInt8]) -> [UInt8] { digest?(sha1) ?? sha1 }

    /// Notes that the database may have another store now.
    func noteSwitch() { switches.add(1, ordering: .sequentiallyConsistent) }

    /// Whether `bring` may have work to do. Complexity: two loads.
    var needsBringing: Bool {
        lastDealtWith.load(ordering: .acquiring) != switches.load(ordering: .acquiring)
    }

    /// Writes all contents that were written for a store other than `store` to this one, so that a transaction that
    /// uses them only has to publish them. Waits if another thread is already doing so. A content that cannot be
    /// written now is written, and may fail, when it is used.
    func bring(to store: (any BlobStore)?) {
        dealtWith.withLock { dealtWith in
            let present = switches.load(ordering: .sequentiallyConsistent)
            guard dealtWith != present else { return }
            let all = table.withLock { table in table.contents.values.flatMap { $0.compactMap(\.staged) } }
            if let store { for staged in all { try? staged.bring(to: store) } }
            dealtWith = present
            lastDealtWith.store(present, ordering: .releasing)
        }
    }

    /// - Parameter store: The database's current store.
    func add(_ staged: StagedAttachment, present store: () -> (any BlobStore)?) {
        defer {
            // The database may have switched while the content was written.
            if let store = store(), !staged.isWritten(in: store) { noteSwitch() }
        }
        table.withLock { table in
            for digest in [staged.sha1, staged.md5].compactMap(\.self) {
                table.contents[digest, default: []].removeAll { $0.staged == nil }
                table.contents[digest, default: []].append(Weak(staged: staged))
            }
            guard table.contents.count > table.limit else { return }
            table.contents = table.contents.filter { entry in entry.value.contains { $0.staged != nil } }
            table.limit = max(64, table.contents.count * 2)
        }
    }

    /// Returns all contents with a digest that are still held.
    func find(_ digest: AttachmentDigest) -> [StagedAttachment] {
        table.withLock { $0.contents[digest]?.compactMap(\.staged) ?? [] }
    }
}
