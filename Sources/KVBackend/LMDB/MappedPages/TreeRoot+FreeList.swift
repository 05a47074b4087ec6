extension TreeRoot {
    /// Returns how many pages the first `records` records of a free list name. Each begins with their number.
    func freePages(_ space: PageSpace, records: Int) throws(PageDamage) -> UInt64 {
        guard depth > 0 else { return 0 }
        var cursor = MappedCursor(self, space, isOrdered: false)
        defer { cursor.deallocate() }
        var count: UInt64 = 0
        var isThere = try cursor.seekFirst()
        for _ in 0..<records where isThere {
            let record = unsafe cursor.entry.value
            if record.count >= 8 { count &+= unsafe UInt64(littleEndian: record.loadUnaligned(as: UInt64.self)) }
            isThere = try cursor.next()
        }
        return count
    }
}
