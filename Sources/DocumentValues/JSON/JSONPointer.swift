public import StorageProtocol

/// A path to a value inside a JSON value (RFC 6901): `/statuses/0/user`, or the empty text for the whole value.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// One step: the name of a member, which may also be the index of an element.
    struct Token: Sendable, Hashable {
        var name: String
        /// The name in canonical text, without the quotes.
        var source: [UInt8]
        /// The index of an element, if the token can be one.
        var index: Int?

        static func == (a: Token, b: Token) -> Bool { a.source == b.source }
        func hash(into hasher: inout Hasher) { hasher.combine(source) }
    }

    let tokens: [Token]

    /// Parses a pointer. `~1` stands for `/` in a name, `~0` for `~`.
    ///
    /// - Throws: `badParameter` (495) if it is neither empty nor begins with `/`, or if a `~` is followed by anything
    ///   but 0 and 1.
    public init(_ text: String) throws(StorageError) {
        let bytes = Array(text.utf8)
        if bytes.isEmpty {
            tokens = []
            return
        }
        guard bytes[0] == UInt8(ascii: "/") else {
            throw StorageError(.badParameter, "A JSON pointer begins with '/', as in /statuses. Put one before it.")
        }
        var tokens: [Token] = []
        for part in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            tokens.append(Token(name: String(decoding: try JSONPointer.unescape(part), as: UTF8.self)))
        }
        self.tokens = tokens
    }

    /// Creates a pointer from names (or indexes of elements), without escapes.
    public init(names: [String]) { tokens = names.map { Token(name: $0) } }

    /// Creates a pointer from names, each with the index of an element that it stands for in an array.
    package init(steps: [(name: String, index: Int?)]) {
        tokens = steps.map { step in
            var token = Token(name: step.name)
            token.index = step.index
            return token
        }
    }

    private static func unescape(_ part: ArraySlice<UInt8>) throws(StorageError) -> [UInt8] {
        var name: [UInt8] = []
        var escaped = false
        for byte in part {
            switch (escaped, byte) {
            case (true, UInt8(ascii: "0")): name.append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): name.append(UInt8(ascii: "/"))
            case (true, _): throw badEscape
            case (false, UInt8(ascii: "~")): break
            case (false, _): name.append(byte)
            }
            escaped = !escaped && byte == UInt8(ascii: "~")
        }
        if escaped { throw badEscape }
        return name
    }

    private static var badEscape: StorageError {
        StorageError(
            .badParameter,
            "In a JSON pointer '~' is written ~0 and '/' inside a name ~1. Correct the pointer."
        )
    }

    /// The pointer's text.
    public var description: String {
        tokens.map { token in
            var text = "/"
            for scalar in token.name.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }.joined()
    }
}

extension JSONPointer.Token {
    init(name: String) {
        self.name = name
        var source: [UInt8] = []
        for byte in name.utf8 { JSONEscape.append(byte, to: &source) }
        self.source = source
        let digits = name.utf8
        let isNumber = !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
        // Indexes have no leading zeros.
        index = isNumber && (digits.count == 1 || digits.first != UInt8(ascii: "0")) ? Int(name) : nil
    }
}
