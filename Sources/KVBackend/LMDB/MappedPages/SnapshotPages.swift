internal import StorageProtocol
internal import Synchronization

/// The trees of one snapshot, in a map of the file. Created once for a reader slot, and filled again by each of its
/// snapshots.
@safe
final class SnapshotPages {
    private(set) var map: PageMap
    private var snapshot: UInt64 = 0
    private(set) var space: PageSpace
    private(set) var main = TreeRoot.empty
    private(set) var freeList = TreeRoot.empty
    /// Indexed by the numbers of `Table`. The depth of those that have not been looked up yet is below 0.
    private let tables: UnsafeMutablePointer<TreeRoot>

    init(_ map: PageMap) {
        self.map = map
        space = PageSpace(map, lastPage: 1)
        unsafe tables = .allocate(capacity: Table.allCases.count)
    }

    deinit { unsafe tables.deallocate() }

    /// Begins to read the snapshot of transaction `number`, which must be held by a reader.
    ///
    /// - Parameter larger: Returns a map with room for this many pages.
    /// - Returns: False if there have been two commits since, so that its meta page no longer exists.
    /// - Throws: `corrupt` (591); the error of `larger`.
    func begin(_ number: UInt64, larger: (UInt64) throws(StorageError) -> PageMap) throws(StorageError) -> Bool {
        let lastPage: UInt64
        do throws(PageDamage) {
            guard let found = try readMeta(number) else { return false }
            lastPage = found
        } catch {
            throw error.storageError
        }
        if lastPage >= map.capacity { map = try larger(lastPage + 1) }
        space = PageSpace(map, lastPage: lastPage)
        for table in 0..<Table.allCases.count { unsafe (tables + table).initialize(to: .unknown) }
        return true
    }

    /// - Returns: The snapshot's last page, or nil if its meta page no longer exists.
    private func readMeta(_ number: UInt64) throws(PageDamage) -> UInt64? {
        let index = number == 0 ? 0 : number & 1
        guard map.hasPage(index) else { throw PageDamage(.metaPage, index) }
        let meta = unsafe map.base + Int(index) * map.pageSize
        // LMDB writes it with the numbers before it, or after them.
        guard unsafe Self.word(meta, 144) == number else { return nil }
        let lastPage = unsafe Self.word(meta, 136)
        freeList = unsafe try TreeRoot(meta + 40, on: index)
        main = unsafe try TreeRoot(meta + 88, on: index)
        atomicMemoryFence(ordering: .acquiring)
        guard unsafe Self.word(meta, 144) == number else { return nil }
        guard lastPage >= 1, lastPage < 1 << 47 else { throw PageDamage(.metaPage, index) }
        return lastPage
    }

    private static func word(_ meta: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: meta.load(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the root of a table has been looked up.
    func isKnown(_ table: Table) -> Bool { unsafe tables[table.rawValue].depth >= 0 }

    /// Returns the root of a table.
    @inline(__always)
    func root(_ table: Table) throws(PageDamage) -> TreeRoot {
        let root = unsafe tables[table.rawValue]
        return root.depth >= 0 ? root : try find(table)
    }

    @inline(never)
    private func find(_ table: Table) throws(PageDamage) -> TreeRoot {
        let (main, space) = (main, space)
        let root = try unsafe table.name.utf8.span.bytes.withUnsafeBytes { (name) throws(PageDamage) in
            unsafe try main.table(name, space)
        }
        unsafe tables[table.rawValue] = root
        return root
    }
}
