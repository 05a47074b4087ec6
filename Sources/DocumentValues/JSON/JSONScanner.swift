public import StorageProtocol

/// Finds single values in stored canonical text without reading all of it. Whatever is not on the way is skipped 16
/// bytes at a time.
///
/// The text must be canonical, as it is in the store: without white space, and with every name written in only one way.
/// In any other text a value may not be found, or the wrong one may be. Bytes after the end of the text are never read.
public enum JSONScanner {
    /// Returns the bytes of the value at `pointer`, or nil if there is none.
    ///
    /// - Complexity: Linear in the length of what precedes the value, at about 16 bytes a step.
    public static func range(of pointer: JSONPointer, in text: RawSpan) -> Range<Int>? {
        unsafe text.withUnsafeBytes { bytes in
            guard let bytes = unsafe CanonicalBytes(bytes) else { return nil }
            var start = 0
            for token in pointer.tokens {
                start = bytes.position(of: token, in: start)
                if start < 0 { return nil }
            }
            return bytes.range(ofValueAt: start)
        }
    }

    /// Returns the value at `pointer`, or nil if there is none.
    ///
    /// - Throws: `badJSON` (493) if the text found is damaged.
    public static func value(at pointer: JSONPointer, in text: RawSpan) throws(StorageError) -> JSONValue? {
        guard let range = range(of: pointer, in: text) else { return nil }
        return try JSONValue(parsing: text.extracting(range))
    }
}
