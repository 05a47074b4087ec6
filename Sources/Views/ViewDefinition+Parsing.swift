internal import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

extension ViewDefinition {
    /// Parses conditions such as `/type == "book" and /year >= 1950`: comparisons of a JSON pointer with a JSON literal
    /// by `==`, `!=`, `<`, `<=`, `>` or `>=`, joined by `and`. A pointer that contains spaces or operators is written
    /// in double quotes, as a JSON string.
    ///
    /// - Throws: `badParameter` (495), which says what was expected and at which byte.
    public static func conditions(parsing text: String) throws(StorageError) -> [Condition] {
        var parser = ConditionParser(Array(text.utf8))
        return try parser.conditions()
    }
}

private struct ConditionParser {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func conditions() throws(StorageError) -> [ViewDefinition.Condition] {
        var conditions = [try condition()]
        while true {
            skipSpaces()
            if position == text.count { return conditions }
            guard take("and"), skipSpaces() else { throw expected("'and' or the end") }
            conditions.append(try condition())
        }
    }

    private mutating func condition() throws(StorageError) -> ViewDefinition.Condition {
        skipSpaces()
        let place = try pointer()
        skipSpaces()
        let comparison = try comparison()
        skipSpaces()
        return ViewDefinition.Condition(place, comparison, try literal())
    }

    private mutating func pointer() throws(StorageError) -> JSONPointer {
        if peek == UInt8(ascii: "\"") {
            guard let name = try literal().stringValue else { throw expected("a JSON pointer") }
            return try JSONPointer(name)
        }
        guard peek == UInt8(ascii: "/") else { throw expected("a JSON pointer, as /type,") }
        let start = position
        while let byte = peek, !isSpace(byte), !Array("=!<>".utf8).contains(byte) { position += 1 }
        return try JSONPointer(String(decoding: text[start..<position], as: UTF8.self))
    }

    private mutating func comparison() throws(StorageError) -> ViewDefinition.Condition.Comparison {
        for sign in ["==", "!=", "<=", ">=", "<", ">"] where take(sign) {
            if let comparison = ViewDefinition.Condition.Comparison(rawValue: sign) { return comparison }
        }
        throw expected("one of == != < <= > >=")
    }

    private mutating func literal() throws(StorageError) -> JSONValue {
        let start = position
        switch peek {
        case UInt8(ascii: "\""): skipString()
        case UInt8(ascii: "["), UInt8(ascii: "{"): skipContainer()
        default: while let byte = peek, !isSpace(byte) { position += 1 }
        }
        do throws(StorageError) {
            return try JSONValue(parsing: Array(text[start..<position]))
        } catch {
            position = start
            throw expected("a JSON literal, as \"book\", 1950, true or null,")
        }
    }

    private mutating func skipString() {
        position += 1
        while let byte = peek {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { break }
        }
        position = min(position, text.count)
    }

    private mutating func skipContainer() {
        var depth = 0
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return }
        }
    }

    private var peek: UInt8? { position < text.count ? text[position] : nil }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// - Returns: whether there was any.
    @discardableResult
    private mutating func skipSpaces() -> Bool {
        let start = position
        while let byte = peek, isSpace(byte) { position += 1 }
        return position > start
    }

    private mutating func take(_ word: String) -> Bool {
        guard text[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private func expected(_ what: String) -> StorageError {
        StorageError(.badParameter, "In the conditions, \(what) was expected at byte \(position + 1).")
    }
}
