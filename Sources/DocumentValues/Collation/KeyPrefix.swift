public import StorageProtocol

/// Matches what begins with a given key: the prefix match of a query's end key.
///
/// `level` selects the part of the key that is a prefix. At level 1 it is the key itself: a string stands for all
/// strings that begin with it, an array for all arrays that begin with its elements. At level 2 it is the last element
/// of the key, which is an array: `["a", "b"]` stands for all arrays that begin with "a" and a string that begins with
/// "b". Each further level goes one array deeper. A string that is reached earlier is the prefix. If a key is anything
/// else, or the level is 0, only the key itself matches.
///
/// ```swift
/// let prefix = try KeyPrefix(endKey: json, level: 1, collator: .unicode)
/// // scan from the query's start, or prefix.lowerBound, to below prefix.upperBound; take a row
/// // that is up to the end key itself, or that prefix.matches
/// ```
public struct KeyPrefix: Sendable {
    /// The key of every match is equal to or above this one.
    public let lowerBound: [UInt8]
    /// The key of every match is below this one. Other keys may be too: strings match by their bytes, but are ordered
    /// by the collation.
    public let upperBound: [UInt8]

    private let collator: Collator
    /// For each array that contains the prefix, from the outermost, the elements before it.
    private let outer: [Elements]
    private let innermost: Innermost

    private enum Innermost {
        case whole(json: [UInt8], key: [UInt8])
        /// The string's JSON text without the quote at its end.
        case string([UInt8])
        case elements(Elements)
    }

    /// - Parameter endKey: Canonical JSON.
    /// - Throws: As `Collator.encode`: `badJSON` (493), `tooLarge` (413), `unexpected` (500).
    public init(endKey: RawSpan, level: Int, collator: Collator) throws(StorageError) {
        var value = try JSONValue(parsing: endKey)
        var outer: [Elements] = []
        var bound: [UInt8] = []
        var remaining = level
        let innermost: Innermost
        search: while true {
            switch value {
            case .string(let text) where remaining > 0:
                try bound.append(contentsOf: collator.keyPrefix(ofStringsWith: text))
                innermost = .string(try value.canonicalBytes().dropLast())
                break search
            case .array(let elements) where remaining == 1:
                let prefix = try Elements(elements, collator)
                bound.append(contentsOf: prefix.key.dropLast())
                innermost = .elements(prefix)
                break search
            case .array(let elements) where remaining > 1 && !elements.isEmpty:
                let leading = try Elements(elements.dropLast(), collator)
                bound.append(contentsOf: leading.key.dropLast())
                outer.append(leading)
                value = elements[elements.count - 1]
                remaining -= 1
            default:
                outer = []
                bound = []
                try collator.encode(endKey, into: &bound)
                innermost = .whole(json: unsafe endKey.withUnsafeBytes { unsafe Array($0) }, key: bound)
                break search
            }
        }
        self.collator = collator
        self.outer = outer
        self.innermost = innermost
        lowerBound = bound
        if case .whole = innermost {
            // No key is a prefix of another, so this is below the next key.
            upperBound = bound + [0]
        } else {
            // A key's first byte is not FF.
            upperBound = CollationKey.end(ofPrefix: bound) ?? bound
        }
    }

    /// Whether a key begins with the prefix. Strings are compared by their UTF-8 bytes. The elements before them, and
    /// keys that cannot be a prefix, are compared for equality in the collation.
    ///
    /// - Parameter keyJSON: Canonical JSON. For any other text the result is false or meaningless.
    /// - Complexity: O(the prefix's length) if equal values are written in the same way; else a key is made.
    public func matches(keyJSON: RawSpan) -> Bool {
        var start = 0
        var end = keyJSON.byteCount
        for elements in outer {
            let found = elements.next(in: keyJSON.extracting(start..<end), collator)
            guard let found else { return false }
            end = start + found.upperBound
            start += found.lowerBound
        }
        let text = keyJSON.extracting(start..<end)
        switch innermost {
        case .string(let beginning):
            guard text.byteCount > beginning.count else { return false }
            return KeyPrefix.isSame(text.extracting(first: beginning.count), beginning)
        case .elements(let elements): return elements.begin(text, collator)
        case .whole(let json, let key):
            if KeyPrefix.isSame(text, json) { return true }
            var other: [UInt8] = []
            do throws(StorageError) { try collator.encode(text, into: &other) } catch { return false }
            return other == key
        }
    }

    static func isSame(_ a: RawSpan, _ b: [UInt8]) -> Bool {
        guard a.byteCount == b.count else { return false }
        for index in 0..<b.count where unsafe a.unsafeLoad(fromByteOffset: index, as: UInt8.self) != b[index] {
            return false
        }
        return true
    }
}

extension Collator {
    /// Returns a common prefix of the keys of all strings that begin with `text`, as long as it can be determined.
    package func keyPrefix(ofStringsWith text: String) throws(StorageError) -> [UInt8] {
        var settled = text
        if strings != nil {
            try strings?.requireOpen()
            let scalars = Array(text.unicodeScalars)
            let length = ContractionBeginnings.shared?.settledLength(of: scalars) ?? 0
            settled = ""
            settled.unicodeScalars.append(contentsOf: scalars[..<length])
        }
        var key: [UInt8] = []
        let json = try JSONValue.string(settled).canonicalBytes()
        try unsafe encode(json.span.bytes, into: &key)
        // In raw order the end of the text; in ICU's order the primary weights, which end with 01.
        let end = strings == nil ? key.count - 1 : key.firstIndex(of: 1)
        return Array(key[..<(end ?? 1)])
    }
}
