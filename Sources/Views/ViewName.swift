internal import SetteeEngine
internal import StorageProtocol

/// A view's name: 1 to 255 bytes of UTF-8, compared by those bytes.
struct ViewName: Hashable, Comparable, Sendable {
    static let maximumLength = 255

    let string: String

    /// - Throws: `badID` (494) if it is empty, longer than 255 bytes, or contains NUL.
    init(_ string: String) throws(StorageError) {
        guard (1...ViewName.maximumLength).contains(string.utf8.count), !string.utf8.contains(0) else {
            throw StorageError(.badID, "A view's name has 1 to 255 bytes of UTF-8, none of them NUL.")
        }
        self.string = string
    }

    /// The view name in the key of an info value; nil if the key is for something else.
    init?(infoKey key: String, prefix: String) {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        string = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    static func == (a: ViewName, b: ViewName) -> Bool { a.string.utf8.elementsEqual(b.string.utf8) }
    static func < (a: ViewName, b: ViewName) -> Bool { a.string.utf8.lexicographicallyPrecedes(b.string.utf8) }
    func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
    }
}
