internal import StorageProtocol
internal import Synchronization

/// The trees of one snapshot, in a map of the file. Made once for a reader's place, and filled anew by each of its
/// snapshots.
@safe
final class SnapshotPages {
    private(set) var map: PageMap
    private var snapshot: UInt64 = 0
    private(set) var space: PageSpace
    private(set) var main = TreeRoot.empty
    private(set) var freeList = TreeRoot.empty
    /// By the numbers of `Table`; the depth of those that were not looked for yet is below 0.
    private let tables: UnsafeMutablePointer<TreeRoot>

    init(_ map: PageMap) {
        self.map = map
        space = PageSpace(map, lastPage: 1)
        unsafe tables = .allocate(capacity: Table.allCases.count)
    }

    deinit { unsafe tables.deallocate() }

    /// Begins to read the snapshot of transaction `number`, which somebody holds.
    ///
    /// - Parameter larger: gives a map with room for as many pages.
    /// - Returns: false where two commits have come since, so that its meta page is gone.
    /// - Throws: `corrupt` (591); what `larger` throws.
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

    /// - Returns: the snapshot's last page, nil where its meta page is gone.
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

    /// Whether the root of a table has been looked for.
    func isKnown(_ table: Table) -> Bool { unsafe tables[table.rawValue].depth >= 0 }

    /// The root of a table.
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
