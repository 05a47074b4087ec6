internal import SetteeEngine
package import StorageProtocol

/// The name of an index with its kind: 1 to 255 bytes of UTF-8, compared by those bytes.
package struct IndexName: Hashable, Comparable, Sendable {
    package static let maximumLength = 255

    package let kind: any IndexKind
    package let string: String

    /// - Throws: `badID` (494) if it is empty, longer than 255 bytes, or contains NUL.
    package init(_ string: String, of kind: any IndexKind) throws(StorageError) {
        guard (1...IndexName.maximumLength).contains(string.utf8.count), !string.utf8.contains(0) else {
            let noun = kind.words.nounWithArticle
            throw StorageError(
                .badID,
                "\(noun.prefix(1).uppercased())\(noun.dropFirst())'s name has 1 to 255 bytes of UTF-8, none of them NUL."
            )
        }
        self.kind = kind
        self.string = string
    }

    /// The name in the key of an info value; nil if the key is for something else.
    ///
    /// - Parameter prefix: what precedes the name.
    package init?(infoKey key: String, prefix: String, of kind: any IndexKind) {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        self.kind = kind
        string = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The name in the key of a record; nil if the key is for something else.
    package init?(recordKey key: String, of kind: any IndexKind) {
        self.init(infoKey: key, prefix: kind.recordPrefix, of: kind)
    }

    /// The key of the info value that holds the record.
    package var recordKey: String { kind.recordPrefix + string }

    /// How messages begin a sentence about it: "view 'NAME'".
    package var described: String { "\(kind.words.noun) '\(string)'" }

    package static func == (a: IndexName, b: IndexName) -> Bool {
        a.string.utf8.elementsEqual(b.string.utf8)
            && a.kind.recordPrefix.utf8.elementsEqual(b.kind.recordPrefix.utf8)
    }

    package static func < (a: IndexName, b: IndexName) -> Bool {
        let (kind, other) = (a.kind.recordPrefix.utf8, b.kind.recordPrefix.utf8)
        return kind.elementsEqual(other)
            ? a.string.utf8.lexicographicallyPrecedes(b.string.utf8) : kind.lexicographicallyPrecedes(other)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
    }
}
