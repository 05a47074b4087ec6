internal import StorageProtocol

/// Reads a store's format entry from its file before LMDB opens it. Others may write at the same time: the result is
/// only valid if there was no commit in between.
struct FormatLook {
    private static let attempts = 5
    private let file: PageFile

    /// Determines what kind of file this is.
    ///
    /// - Returns: Nil if that cannot be determined; opening the file will.
    /// - Throws: `unsupportedFormat` (591) for a file of another kind of LMDB, of something else, or of a newer
    ///   version; `corrupt` (591) if no snapshot can be read, unless damage is to be tolerated.
    static func format(of path: String, toleratingDamage: Bool) throws(StorageError) -> StoreFormat? {
        guard let file = try? PageFile(path: path) else { return nil }
        let look = FormatLook(file: file)
        for _ in 0..<attempts {
            var settled: MetaPages?
            do throws(PageFault) {
                try Snapshots.settled(file, attempts: attempts) { () throws(PageFault) in settled = try MetaPages(file)
                }
            } catch {
                let failure = error.storageError
                guard failure.code == .unsupportedFormat || (failure.code == .corrupt && !toleratingDamage) else {
                    return nil
                }
                throw failure
            }
            guard let before = settled else { return nil }
            let found = look.entry(in: before.newest)
            guard let after = try? MetaPages(file), after == before else { continue }
            return try found.get()
        }
        return nil
    }

    private init(file: PageFile) { self.file = file }

    private func entry(in meta: MetaPage) -> Result<StoreFormat?, StorageError> {
        do throws(PageFault) {
            guard let table = try value(of: Table.meta.name, in: meta.main, meta, flags: NodeFlags.tree) else {
                return .failure(
                    StorageError(
                        .unsupportedFormat,
                        "The data file is an LMDB file of something else. Open it with the program that made it."
                    )
                )
            }
            guard table.count == TreeRecord.length,
                let bytes = try value(of: MetaKey.format.rawValue, in: TreeRecord(table, at: 0), meta, flags: 0)
            else { return .success(nil) }
            do throws(StorageError) {
                return .success(
                    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) -> StoreFormat in
                        try unsafe StoreFormat(stored: bytes)
                    }
                )
            } catch {
                return error.code == .unsupportedFormat ? .failure(error) : .success(nil)
            }
        } catch {
            return .success(nil)
        }
    }

    /// Returns the value of a key, in place in its leaf; nil if there is no such key, or it has other flags.
    private func value(
        of key: String,
        in tree: TreeRecord,
        _ meta: MetaPage,
        flags: UInt16
    ) throws(PageFault) -> [UInt8]? {
        guard !tree.isEmpty, tree.problem(lastPage: meta.lastPage, pageSize: meta.pageSize) == nil else { return nil }
        let key = Array(key.utf8)
        var number = tree.root
        for _ in 0..<tree.depth {
            guard number <= meta.lastPage else { return nil }
            let page = try NodePage(file, number, pageSize: meta.pageSize)
            if page.isLeaf {
                guard let index = (0..<page.count).first(where: { page.key($0).elementsEqual(key) }),
                    page.flags(index) == flags
                else { return nil }
                return Array(page.value(index))
            }
            var index = 0
            // The first child contains everything below the key of the second.
            while index + 1 < page.count, !key.lexicographicallyPrecedes(page.key(index + 1)) { index += 1 }
            number = page.child(index)
        }
        return nil
    }
}
