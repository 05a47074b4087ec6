internal import StorageProtocol

/// What a write transaction knows of the store when it has committed, so that the next one need not ask again: true as
/// long as the file's data version is the same, that is, nobody else has written meanwhile.
struct WriterMemory {
    let dataVersion: DataVersion
    let counters: StoreCounters
    let greatestID: GreatestID
}

/// A number that stays the same as long as the file does.
enum DataVersion: Equatable {
    /// Every change gives another one.
    case ofAll(UInt32)
    /// A change of another connection does: before SQLite 3.20 there is no more.
    case ofOthers(Int64)
}

/// An ID that no stored one is above: documents with IDs above it are new, and need not be looked up.
enum GreatestID {
    /// Looked for after so many look-ups in vain, which tell that documents are being added.
    case unknown(misses: Int)
    /// There is no document.
    case none
    case id(DocumentID)

    static let missesBefore = 8
}
