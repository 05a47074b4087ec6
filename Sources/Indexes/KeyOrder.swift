package import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The order of the rows of an index: how their sort keys are made of their keys.
package struct KeyOrder: Sendable {
    /// Makes the sort keys of rows that are given without one.
    package let collator: Collator
    /// Nil: the collator makes the sort keys.
    private let matcher: (@Sendable (_ sortKey: RawSpan, _ keyJSON: RawSpan) -> Bool)?

    /// The order of a collator.
    package init(_ collator: Collator) {
        self.collator = collator
        matcher = nil
    }

    /// The order of a mapper that makes the sort keys itself, from parts that the collator encodes.
    ///
    /// - Parameter matcher: whether a stored sort key can be that of a stored key.
    package init(
        partsBy collator: Collator,
        matcher: @escaping @Sendable (_ sortKey: RawSpan, _ keyJSON: RawSpan) -> Bool
    ) {
        self.collator = collator
        self.matcher = matcher
    }

    /// Returns whether a stored sort key belongs to a stored key, canonical JSON.
    func holds(_ sortKey: RawSpan, of keyJSON: RawSpan) -> Bool {
        if let matcher { return matcher(sortKey, keyJSON) }
        var key: [UInt8] = []
        guard (try? collator.encode(keyJSON, into: &key)) != nil else { return false }
        return unsafe compareBytes(key.span.bytes, sortKey) == 0
    }
}
