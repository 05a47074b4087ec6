/// What can be found out about a collation key without the JSON it was made from.
public enum CollationKey {
    /// Whether the bytes have the structure of one key, of either order: each value's parts are complete and in their
    /// shortest form, arrays and objects end, nothing follows. The bytes that ICU made of a string are not checked.
    ///
    /// - Complexity: O(key's length).
    public static func isWellFormed(_ key: RawSpan) -> Bool {
        guard key.byteCount <= Collator.maximumKeyLength else { return false }
        var check = KeyCheck()
        return check.run(key)
    }
}
