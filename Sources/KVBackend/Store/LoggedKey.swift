/// The table and key of an entry that a commit has changed.
struct LoggedKey: Hashable {
    let table: Table
    let key: [UInt8]

    init(_ key: UnsafeRawBufferPointer, in table: Table) {
        self.table = table
        self.key = unsafe Array(key)
    }

    /// Roughly how many bytes of memory it takes.
    var cost: Int { key.count &+ LoggedKey.overhead }

    private static let overhead = 96
}
