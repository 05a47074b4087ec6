internal import StorageProtocol

extension LMDBTransaction {
    /// In a snapshot the page of one key is where the next is sought first.
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard isSnapshot else { return try unsafe valuesOneByOne(of: keys, in: table, use) }
        var place: LeafPlace?
        for number in 0..<keys.count {
            let goesOn = try unsafe keys.withKey(number) { (key) throws(StorageError) in
                unsafe _ = try live()
                let value = unsafe try find(key, after: &place, in: table)
                return try unsafe use(number, key, value)
            }
            if !goesOn { return }
        }
    }

    @unsafe
    private func find(
        _ key: UnsafeRawBufferPointer,
        after place: inout LeafPlace?,
        in table: Table
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        do throws(PageDamage) {
            return unsafe try pages.root(table).value(of: key, after: &place, pages.space)
        } catch {
            throw damaged(error)
        }
    }
}
