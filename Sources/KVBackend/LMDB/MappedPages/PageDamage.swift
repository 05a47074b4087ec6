internal import StorageProtocol

/// Damage found in a mapped page. Small, because every read may fail.
struct PageDamage: Error, Equatable {
    /// The page, or the entry's page.
    var page: UInt64
    var what: What

    enum What: UInt8 {
        case missing
        case header
        case entry
        case overflow
        case order
        case metaPage
        case record
    }

    init(_ what: What, _ page: UInt64) {
        self.what = what
        self.page = page
    }

    var message: String {
        switch what {
        case .missing: "page \(page) is named, but does not exist"
        case .header: "page \(page) is not of the kind that its place asks for, or its header is damaged"
        case .entry: "page \(page) has an entry that reaches beyond it"
        case .overflow: "page \(page) is not the overflow page that it is taken for"
        case .order: "the keys of page \(page) are out of order"
        case .metaPage: "meta page \(page) is damaged"
        case .record: "page \(page) lacks a table, or has no record of it"
        }
    }

    /// The error for a reader.
    var storageError: StorageError { PageFault.damage(message).storageError }
}
