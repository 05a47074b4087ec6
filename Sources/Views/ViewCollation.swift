internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The order of the keys of a view.
public enum ViewCollation: String, Sendable, Hashable {
    /// The order of CouchDB: null, false, true, numbers, strings, arrays, objects. Strings are ordered by the Unicode
    /// Collation Algorithm, whatever the language of the device.
    case unicode
    /// The order of CouchDB's raw collation: numbers, false, null, true, objects, arrays, strings. Strings are ordered
    /// by their bytes.
    case raw

    var collator: Collator {
        switch self {
        case .unicode: .unicode
        case .raw: .raw
        }
    }

    var order: KeyOrder { KeyOrder(collator) }
}
