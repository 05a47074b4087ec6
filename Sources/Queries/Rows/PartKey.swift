internal import SetteeDocumentValues
internal import SetteeExpressions
internal import StorageProtocol

/// The bytes of fields in the keys of value indexes, and in the keys that rows are sorted by.
///
/// A field that exists has the collation key of its value, which begins with 02 to A8. One that is missing is 01. Where
/// values descend, all bytes are complemented: 57 to FD, FE. No key of a document begins with FF.
enum PartKey {
    static let missing: UInt8 = 0x01
    /// Above the key of a missing value, and not above any other.
    static let firstValue: UInt8 = 0x02
    /// Above all keys of values. In sort keys it stands for a value whose key would be too long.
    static let beyond: UInt8 = 0xC0
    /// The key of documents for which no other can be made: a value is too large. They sort behind all others and are
    /// read by each query.
    static let unindexable: UInt8 = 0xFF

    /// Appends the key of a field.
    ///
    /// - Parameter text: the canonical text; nil: the field is missing.
    /// - Returns: false for a value with too long a key; nothing is appended then.
    static func append(
        _ text: RawSpan?,
        raw: Bool,
        isComplemented: Bool,
        to key: inout [UInt8]
    ) throws(StorageError) -> Bool {
        let start = key.count
        if let text {
            do throws(StorageError) {
                try (raw ? Collator.raw : .unicode).encode(text, into: &key)
            } catch {
                guard error.code == .tooLarge else { throw error }
                return false
            }
        } else {
            key.append(missing)
        }
        if isComplemented { for index in start..<key.count { key[index] = ~key[index] } }
        return true
    }
}
