import Testing

/// A release of Couchbase Lite 1.x, as far as its files differ from those of others.
enum OldRelease: String, CaseIterable, CustomTestStringConvertible {
    case iOS104, android104, android110, iOS110, java120, net120, iOS130, net140, iOS141

    var testDescription: String { rawValue }

    /// A folder with `db.sqlite3`, or a file with a folder beside it.
    var isBundle: Bool { ![.iOS104, .android104, .android110, .iOS110].contains(self) }

    /// Attachments have a table of their own; later they are in the bodies.
    var hasAttachmentTable: Bool { [.iOS104, .android104, .android110].contains(self) }

    var hasExpiry: Bool { [.iOS130, .net140, .iOS141].contains(self) }
    var hasDocumentType: Bool { isBundle }
    /// 1.4.1 left out those that SQLite makes by itself.
    var hasRedundantIndexes: Bool { self != .iOS141 }
    var pageSize: Int { rawValue.hasPrefix("iOS") ? 4096 : 1024 }

    var userVersion: Int {
        switch self {
        case .android104: 11
        case .iOS104: 16
        case .android110: 20
        case .iOS110, .java120, .net120: 101
        case .iOS130, .net140, .iOS141: 102
        }
    }

    func file(_ name: String) -> String { isBundle ? "\(name).cblite2/db.sqlite3" : "\(name).cblite" }

    func attachments(_ name: String) -> String {
        if isBundle { return "\(name).cblite2/attachments" }
        return self == .android104 ? "\(name)/attachments" : "\(name) attachments"
    }

    /// What is imported.
    func path(_ name: String) -> String { isBundle ? "\(name).cblite2" : "\(name).cblite" }

    func blobName(_ digits: String) -> String { (self == .android104 ? digits.lowercased() : digits) + ".blob" }
}
