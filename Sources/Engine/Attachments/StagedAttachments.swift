internal import StorageProtocol

/// The staged contents that somebody holds, by the digests that entries with `follows` name them by.
final class StagedAttachments: Sendable {
    private struct Weak: Sendable {
        weak let staged: StagedAttachment?
    }

    private struct Table {
        var contents: [AttachmentDigest: [Weak]] = [:]
        /// At how many digests those that nobody holds any more are forgotten.
        var limit = 64
    }

    private let table = Locked(Table())

    func add(_ staged: StagedAttachment) {
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

    /// All contents of a digest that are held.
    func find(_ digest: AttachmentDigest) -> [StagedAttachment] {
        table.withLock { $0.contents[digest]?.compactMap(\.staged) ?? [] }
    }
}
