internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// How the keys of a view are ordered.
public enum ViewCollation: String, Sendable, Hashable {
    /// As CouchDB orders: null, false, true, numbers, strings, arrays, objects; strings by the Unicode Collation
    /// Algorithm, whatever the device's language.
    case unicode
    /// As CouchDB's raw collation orders: numbers, false, null, true, objects, arrays, strings; strings by their bytes.
    case raw

    var collator: Collator {
        switch self {
        case .unicode: .unicode
        case .raw: .raw
        }
    }
}
