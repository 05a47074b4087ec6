public import StorageProtocol

/// Finds single values in stored canonical text without reading the whole: what does not lie on the way is skipped
/// eight bytes at a time.
///
/// The text must be canonical, as the store keeps it: there is no white space and no name is written in two ways. In
/// any other text a value may not be found, or the wrong one; nothing is ever read beyond the text's end.
public enum JSONScanner {
    /// The bytes of the value at `pointer`, nil where there is none.
    ///
    /// - Complexity: linear in the length of what precedes the value, at about 8 bytes a step.
    public static func range(of pointer: JSONPointer, in text: RawSpan) -> Range<Int>? {
        unsafe text.withUnsafeBytes { bytes in
            var scan = unsafe JSONSkip(bytes)
            for token in pointer.tokens {
                guard scan.enter(token) else { return nil }
            }
            let start = scan.position
            return scan.skipValue() ? start..<scan.position : nil
        }
    }

    /// The value at `pointer`, nil where there is none.
    ///
    /// - Throws: `badJSON` (493) where the text found is damaged.
    public static func value(at pointer: JSONPointer, in text: RawSpan) throws(StorageError) -> JSONValue? {
        guard let range = range(of: pointer, in: text) else { return nil }
        return try JSONValue(parsing: text.extracting(range))
    }
}
