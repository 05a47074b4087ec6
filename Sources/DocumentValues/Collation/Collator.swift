public import StorageProtocol

/// Makes collation keys: one byte string per JSON value, so that comparing the bytes with `memcmp` compares the values.
///
/// Values that are equal in the order have equal keys: `1`, `1.0` and `1e0`; strings that ICU treats as equal, such as
/// a composed and a decomposed character. A key cannot be decoded, and no key is a prefix of another.
/// `docs/reference/encodings.md` describes every byte.
///
///     var key: [UInt8] = []
///     try Collator.unicode.encode(json, into: &key)
///
/// Values are ordered by type, then within it: numbers by their exact value, arrays element by element, objects member
/// by member (name, then value) *in the order in which they are in the text*, a shorter one first. Pass canonical JSON
/// to get one order for objects.
public struct Collator: Sendable {
    /// CouchDB's order: null, false, true, numbers, strings, arrays, objects; strings by the Unicode Collation
    /// Algorithm with ICU's root collation and tertiary strength, never by a locale.
    public static let unicode = Collator(strings: ICUStrings.shared)
    /// The order of CouchDB's raw collation: numbers, false, null, true, objects, arrays, strings; strings by their
    /// UTF-8 bytes.
    public static let raw = Collator(strings: nil)

    /// The maximum length of a key in bytes.
    public static let maximumKeyLength = 1 << 20
    /// The maximum nesting depth of arrays and objects.
    public static let maximumDepth = 512

    /// How strings are ordered; nil: by their bytes.
    let strings: ICUStrings?

    init(strings: ICUStrings?) {
        self.strings = strings
    }

    /// Names everything that keys depend on: the version of this encoding, of ICU and of its collation data. Keys of
    /// different versions must not be compared.
    ///
    /// - Throws: `StorageError` with `unexpected` (500) if ICU has no root collation.
    public var version: String {
        get throws(StorageError) {
            guard let strings else { return "settee-1/raw" }
            try strings.requireOpen()
            return "settee-1/\(strings.version)"
        }
    }

    /// The first bytes of keys.
    package var tags: KeyTags { strings == nil ? .raw : .unicode }

    /// Appends the key of a JSON value.
    ///
    /// - Parameter json: One JSON value. Numbers are integers from Int64's lowest to UInt64's highest, or finite
    ///   doubles.
    /// - Throws: `StorageError` with `badJSON` (493) for text that is not JSON, numbers out of range, lone surrogates,
    ///   or more than `maximumDepth` levels; `tooLarge` (413) for a key over `maximumKeyLength`; `unexpected` (500) if
    ///   ICU fails. `key` is then unchanged.
    /// - Complexity: O(json's length).
    public func encode(_ json: RawSpan, into key: inout [UInt8]) throws(StorageError) {
        try strings?.requireOpen()
        if let number = KeyNumber(whole: json) {
            return unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { (scratch) in
                var writer = unsafe KeyWriter(scratch: scratch)
                number.append(to: &writer)
                writer.append(to: &key)
            }
        }
        try unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { (scratch) throws(StorageError) in
            var encoder = KeyEncoder(strings: strings, writer: unsafe KeyWriter(scratch: scratch))
            try encoder.encode(json)
            encoder.writer.append(to: &key)
        }
    }
}
