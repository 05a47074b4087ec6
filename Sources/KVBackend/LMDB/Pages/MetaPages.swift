/// Both meta pages of a file, from the same moment.
struct MetaPages: Equatable {
    /// The page that LMDB reads. It is chosen by the transaction's number alone.
    var newest: MetaPage
    /// The page that the next commit will overwrite.
    var older: MetaPage

    /// Reads both, and checks the newest. Of the older one, only what LMDB requires is checked, because the next commit
    /// overwrites it.
    ///
    /// - Throws: `damage`, also if the two do not match; `failure`.
    init(_ file: PageFile) throws(PageFault) {
        guard try file.size() > 0 else { throw .damage("it is empty") }
        let first = try MetaPage(file.read(MetaPage.length, at: 0), index: 0)
        let second = try MetaPage(file.read(MetaPage.length, at: UInt64(first.pageSize)), index: 1)
        guard first.pageSize == second.pageSize else { throw .damage("the meta pages differ in page size") }
        (newest, older) = first.transaction < second.transaction ? (second, first) : (first, second)
        guard newest.transaction == 0 || newest.transaction - older.transaction == 1 else {
            throw .damage(
                "the meta pages hold transactions \(older.transaction) and \(newest.transaction), which do not follow"
            )
        }
        if let problem = newest.problem { throw .damage("meta page \(newest.index) \(problem)") }
        guard older.problem != nil || newest.lastPage >= older.lastPage else {
            throw .damage("the newest meta page ends at page \(newest.lastPage), the older at \(older.lastPage)")
        }
    }
}
