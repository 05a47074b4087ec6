internal import SetteeDocumentValues
internal import StorageProtocol

extension Operand {
    /// Whether a value is equal to this one.
    ///
    /// - Parameter workspace: what the evaluation may still use.
    func equals(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard try Operand.kind(of: value) == kind else { return false }
        if let number, let other = workspace.shortNumber(value) { return number == other }
        if unsafe compareBytes(value, text.span.bytes) == 0 { return true }
        switch kind {
        case .string where meaning.equatesRaw: return false
        case .string: if isPrintable, Operand.isPrintable(value) { return false }
        default: break
        }
        do throws(StorageError) {
            try workspace.makeKey(of: value, isRaw: meaning.equatesRaw)
        } catch {
            // This one's key is not too large, so they differ.
            guard error.code == .tooLarge else { throw error }
            return false
        }
        return workspace.key == equalKey
    }

    /// Returns a negative number for a value below this one, zero for an equal one, a positive number for one above.
    ///
    /// - Throws: `tooLarge` (413) for an array or object with too large a key; `badJSON` (493) for damaged text.
    func order(of value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Int {
        let isRaw = meaning.ordersRaw
        let other = try Operand.kind(of: value)
        guard other == kind else {
            return isRaw ? other.rawRank - kind.rawRank : Int(other.rawValue) - Int(kind.rawValue)
        }
        if let number, let short = workspace.shortNumber(value) { return short < number ? -1 : short > number ? 1 : 0 }
        if unsafe compareBytes(value, text.span.bytes) == 0 { return 0 }
        switch kind {
        case .string where isRaw && isPrintable && Operand.isPrintable(value):
            // Without the quotes, or the second one would be compared with characters. Damaged text may lack it.
            let content = value.extracting(1..<max(1, value.byteCount - 1))
            return unsafe compareBytes(content, text.span.bytes.extracting(1..<text.count - 1))
        default: break
        }
        do throws(StorageError) {
            try workspace.makeKey(of: value, isRaw: isRaw)
        } catch {
            guard error.code == .tooLarge, let beginning = beginning(of: value) else { throw error }
            try unsafe workspace.makeKey(of: beginning.span.bytes, isRaw: isRaw)
            // The value is longer than its beginning, so it is behind an operand that is equal to that.
            return compareBytes(workspace.key, key) < 0 ? -1 : 1
        }
        return compareBytes(workspace.key, key)
    }

    /// Whether a comparison of a value with this one holds.
    func passes(
        _ comparison: Comparison,
        _ value: RawSpan,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        if !meaning.comparesAll, try !compares(value, &workspace) { return false }
        switch comparison {
        case .equal: return try equals(value, &workspace)
        case .unequal: return try !equals(value, &workspace)
        case .less: return try order(of: value, &workspace) < 0
        case .greater: return try order(of: value, &workspace) > 0
        case .atMost, .atLeast:
            let order = try order(of: value, &workspace)
            if order != 0 { return (order < 0) == (comparison == .atMost) }
            // Those of one place in the order may differ.
            if meaning.equatesRaw == meaning.ordersRaw { return true }
            return try equals(value, &workspace)
        }
    }

    /// Whether a value has the type of this one and can be a key.
    ///
    /// - Throws: `tooLarge` (413) if it cannot.
    private func compares(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard try Operand.kind(of: value).isSameType(as: kind) else { return false }
        if value.byteCount > Operand.surelyAKey { try workspace.makeKey(of: value, isRaw: meaning.ordersRaw) }
        return true
    }

    /// A text of at most this length can always be a key: no character has a sort key of more than 64 times its length.
    private static let surelyAKey = Collator.maximumKeyLength / 64

    private static func kind(of value: RawSpan) throws(StorageError) -> ValueKind {
        guard let kind = ValueKind(value) else {
            throw StorageError(.badJSON, "A stored document is damaged. Run `settee check` to find it.")
        }
        return kind
    }

    /// Returns what decides the order of a large value: a string's first characters, or one element of an array more
    /// than this one has. Nil for objects.
    private func beginning(of value: RawSpan) -> [UInt8]? {
        switch kind {
        case .string:
            guard case .string(let string)? = JSONScanner.value(value) else { return nil }
            var text: [UInt8] = []
            JSONText.append(String(String.UnicodeScalarView(string.unicodeScalars.prefix(8192))), to: &text)
            return text
        case .array:
            guard let range = JSONScanner.range(ofElements: elementCount + 1, in: value) else { return nil }
            return unsafe value.extracting(range).withUnsafeBytes { elements in
                unsafe [UInt8(ascii: "[")] + elements + [UInt8(ascii: "]")]
            }
        default: return nil
        }
    }
}
