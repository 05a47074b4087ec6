internal import StorageProtocol

/// What a write transaction knows about the store after its commit, so that the next one need not read it again. Valid
/// as long as the file's data version is the same, which means that no other connection has written since.
struct WriterMemory {
    let dataVersion: DataVersion
    let counters: StoreCounters
    let greatestID: GreatestID
}

/// A number that stays the same as long as the file does not change.
enum DataVersion: Equatable {
    /// Changes with every change of the file.
    case ofAll(UInt32)
    /// Changes with a change by another connection: before SQLite 3.20 there is nothing better.
    case ofOthers(Int64)
}

/// An ID that is not below any stored one: documents with higher IDs are new and need no look-up.
enum GreatestID {
    /// Not known yet. Looked up after `missesBefore` failed look-ups, which indicate that documents are being added.
    case unknown(misses: Int)
    /// There is no document.
    case none
    case id(DocumentID)

    static let missesBefore = 8
}
