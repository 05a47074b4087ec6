/// Splits the text of a JSON object or array into its parts without parsing them. A manifest needs this so that unknown
/// members can be kept byte for byte. Never fails on any bytes: returns nil for what is not sufficiently JSON.
struct JSONMembers {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private static let deepest = 64

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the names (quotes included) and values of an object, in order.
    static func scan(_ text: ArraySlice<UInt8>) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]? {
        var scanner = JSONMembers(text)
        var members: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        let complete = scanner.list(from: "{", to: "}") { scanner in
            guard let name = scanner.string(), scanner.take(":"), let value = scanner.value(depth: 1) else {
                return false
            }
            members.append((name, value))
            return true
        }
        return complete && scanner.isAtEnd ? members : nil
    }

    /// Returns the elements of an array, in order.
    static func elements(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var scanner = JSONMembers(text)
        var elements: [ArraySlice<UInt8>] = []
        let complete = scanner.list(from: "[", to: "]") { scanner in
            guard let value = scanner.value(depth: 1) else { return false }
            elements.append(value)
            return true
        }
        return complete && scanner.isAtEnd ? elements : nil
    }

    /// Returns the content of a string without escapes, control characters or bytes that are not ASCII.
    static func plainString(_ text: ArraySlice<UInt8>) -> String? {
        guard text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return nil }
        let content = text.dropFirst().dropLast()
        guard
            content.allSatisfy({
                (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    private var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.endIndex
        }
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func list(
        from opening: Unicode.Scalar,
        to closing: Unicode.Scalar,
        _ part: (inout JSONMembers) -> Bool
    ) -> Bool {
        guard take(opening) else { return false }
        if take(closing) { return true }
        repeat {
            guard part(&self) else { return false }
        } while take(",")
        return take(closing)
    }

    private mutating func string() -> ArraySlice<UInt8>? {
        guard take("\"") else { return nil }
        let start = position - 1
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return bytes[start..<position] }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.endIndex else { return nil }
                position += 1
            }
        }
        return nil
    }

    private mutating func value(depth: Int) -> ArraySlice<UInt8>? {
        guard depth <= JSONMembers.deepest else { return nil }
        skipSpace()
        let start = position
        guard position < bytes.endIndex else { return nil }
        let complete: Bool
        switch bytes[position] {
        case UInt8(ascii: "\""): complete = string() != nil
        case UInt8(ascii: "{"):
            complete = list(from: "{", to: "}") { scanner in
                scanner.string() != nil && scanner.take(":") && scanner.value(depth: depth + 1) != nil
            }
        case UInt8(ascii: "["):
            complete = list(from: "[", to: "]") { $0.value(depth: depth + 1) != nil }
        default:
            let ends: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")]
            while position < bytes.endIndex, !ends.contains(bytes[position]) { position += 1 }
            complete = position > start
        }
        return complete ? bytes[start..<position] : nil
    }
}
