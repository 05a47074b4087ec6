internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// An object of which one member is an array with many elements: where these are, and the other members as values.
///
/// Elements are found by their brackets and quotes and not parsed. Text that is not JSON only affects the element it is
/// in.
struct ObjectParts {
    /// The ranges of the elements' texts.
    private(set) var elements: [Range<Int>] = []
    private(set) var members = JSONObject()

    /// - Parameter array: The name of the member with the elements.
    /// - Throws: `bad_request` (400) if the text is not an object, has no such member, or this is not an array.
    /// - Complexity: O(bytes).
    init(_ json: [UInt8], array: String) throws(CouchError) {
        var scan = Scan(json)
        guard scan.take(UInt8(ascii: "{")) else { throw .badRequest("Request body must be a JSON object") }
        var isThere = false
        var isFirst = true
        while !scan.take(UInt8(ascii: "}")) {
            guard isFirst || scan.take(UInt8(ascii: ",")), let name = scan.value(),
                let text = (try? JSONValue(parsing: Array(json[name])))?.stringValue, scan.take(UInt8(ascii: ":"))
            else { throw .invalidJSON }
            isFirst = false
            if text == array {
                isThere = true
                guard scan.take(UInt8(ascii: "[")) else { throw .badRequest("`\(array)` parameter must be an array.") }
                elements = []
                while !scan.take(UInt8(ascii: "]")) {
                    guard elements.isEmpty || scan.take(UInt8(ascii: ",")), let element = scan.value() else {
                        throw .invalidJSON
                    }
                    elements.append(element)
                }
            } else {
                guard let range = scan.value(), let value = try? JSONValue(parsing: Array(json[range])) else {
                    throw .invalidJSON
                }
                members[text] = value
            }
        }
        guard scan.isAtEnd else { throw .invalidJSON }
        guard isThere else { throw .badRequest("POST body must include `\(array)` parameter.") }
    }

    /// A position in JSON text that moves from value to value.
    private struct Scan {
        private let json: [UInt8]
        private var position = 0

        init(_ json: [UInt8]) { self.json = json }

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return position == json.count
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        }

        private mutating func skipBlanks() {
            while position < json.count, Scan.isBlank(json[position]) { position += 1 }
        }

        /// Moves over a byte if it is the next one.
        mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard position < json.count, json[position] == byte else { return false }
            position += 1
            return true
        }

        /// Moves over a value. Nil if there is none, or the text ends in it.
        mutating func value() -> Range<Int>? {
            skipBlanks()
            let start = position
            var depth = 0
            while position < json.count {
                switch json[position] {
                case UInt8(ascii: "\""):
                    guard skipString() else { return nil }
                    if depth == 0 { return start == position ? nil : start..<position }
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    // The bracket around this value.
                    if depth == 0 { return start == position ? nil : start..<position }
                    depth -= 1
                    if depth == 0 {
                        position += 1
                        return start..<position
                    }
                case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                    if depth == 0 { return start == position ? nil : start..<position }
                default: break
                }
                position += 1
            }
            return depth == 0 && start < position ? start..<position : nil
        }

        private mutating func skipString() -> Bool {
            position += 1
            while position < json.count {
                switch json[position] {
                case UInt8(ascii: "\\"): position += 2
                case UInt8(ascii: "\""):
                    position += 1
                    return true
                default: position += 1
                }
            }
            return false
        }
    }
}
