internal import StorageProtocol

/// What a write transaction knows of the store when it has committed, so that the next one need not ask again: true as
/// long as the file's data version is the same, that is, nobody else has written meanwhile.
struct WriterMemory {
    let dataVersion: UInt32
    let counters: StoreCounters
    let greatestID: GreatestID
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
