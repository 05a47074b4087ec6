internal import SetteeDocumentValues

/// Cuts an answer into rows while it comes: the elements of an array that is the whole answer, or a member of it. The
/// other members are kept.
///
/// ```swift
/// var rows = JSONRows(of: "results", limit: 1 << 20)
/// while let bytes = try await body.next() {
///     rows.append(bytes)
///     while let row = try rows.next() { ... }
/// }
/// let rest = try rows.finish()  // {"last_seq":...}
/// ```
///
/// Rows are found by brackets and quotes. Whether one is JSON shows when it is parsed.
///
/// - Complexity: O(bytes). In memory are one row and one piece of the body.
struct JSONRows: ~Copyable {
    enum Row: Equatable {
        case text([UInt8])
        /// It was over the limit, and skipped.
        case tooLarge
    }

    private enum Phase {
        case beginning
        case name
        case colon
        case value
        case rows
        case ended
    }

    /// All that is kept beside the rows.
    private static let otherBytes = 1 << 20

    private let member: String?
    private let limit: Int
    private var phase = Phase.beginning
    private var buffer: [UInt8] = []
    /// What is before has been dealt with.
    private var position = 0
    private var scan = JSONValueScan()
    private var name = ""
    private var others = JSONObject()
    /// How many bytes of text `others` and the names were.
    private var othersSize = 0
    private var hasRows = false

    /// - Parameters:
    ///   - member: Whose elements are the rows; nil: those of the whole answer.
    ///   - limit: The longest row in bytes.
    init(of member: String?, limit: Int) {
        self.member = member
        self.limit = limit
    }

    mutating func append(_ bytes: [UInt8]) {
        if position > 0, position >= buffer.count - position {
            buffer.removeFirst(position)
            position = 0
        }
        if phase != .ended { buffer += bytes }
    }

    /// The next row; nil: more bytes are needed, or the rows have ended.
    mutating func next() throws(PeerError) -> Row? {
        while let byte = peek() {
            switch phase {
            case .beginning:
                guard byte == UInt8(ascii: member == nil ? "[" : "{") else { throw .badAnswer("no list") }
                position += 1
                phase = member == nil ? .rows : .name
                hasRows = member == nil
            case .name: guard try takeName(byte) else { return nil }
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw .badAnswer("no JSON") }
                position += 1
                phase = .value
            case .value: guard try takeValue(byte) else { return nil }
            case .rows:
                if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                    position += 1
                    if byte == UInt8(ascii: "]") { phase = member == nil ? .ended : .name }
                } else {
                    return try takeRow()
                }
            case .ended: return nil
            }
        }
        return nil
    }

    /// The next row, read where it lies.
    ///
    /// - Parameter read: Returns the row that begins at an index, and where it ends; nil for one that it cannot read,
    ///   or that has not come as a whole.
    /// - Returns: nil if `next` is to be asked.
    mutating func next<R>(readBy read: ([UInt8], _ start: Int) -> (row: R, end: Int)?) -> R? {
        guard phase == .rows, !scan.isInside else { return nil }
        while let byte = peek(), byte == UInt8(ascii: ",") { position += 1 }
        guard let (row, end) = read(buffer, position), end - position <= limit else { return nil }
        position = end
        return row
    }

    /// Says that the answer has ended.
    ///
    /// - Returns: The members besides the rows.
    /// - Throws: `badAnswer` if it ended in the middle, or had no array of rows.
    consuming func finish() throws(PeerError) -> JSONObject {
        guard phase == .ended else { throw .badAnswer("cut short") }
        guard hasRows else { throw .badAnswer("no list") }
        return others
    }

    /// The next byte that is not white space.
    private mutating func peek() -> UInt8? {
        // In the middle of a value white space counts.
        if scan.isInside { return position < buffer.count ? buffer[position] : nil }
        while position < buffer.count {
            switch buffer[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private mutating func takeName(_ byte: UInt8) throws(PeerError) -> Bool {
        if !scan.isInside, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") {
            position += 1
            if byte == UInt8(ascii: "}") { phase = .ended }
            return true
        }
        guard let text = try takeOther() else { return false }
        guard let name = text.stringValue else { throw .badAnswer("no JSON") }
        self.name = name
        phase = .colon
        return true
    }

    private mutating func takeValue(_ byte: UInt8) throws(PeerError) -> Bool {
        if !scan.isInside, byte == UInt8(ascii: "["), name == member {
            position += 1
            phase = .rows
            hasRows = true
            return true
        }
        guard let value = try takeOther() else { return false }
        others[name] = value
        phase = .name
        return true
    }

    /// Reads a value that is not among the rows; nil if it has not ended.
    private mutating func takeOther() throws(PeerError) -> JSONValue? {
        let known = scan.end(in: buffer, from: position)
        let end = known ?? buffer.count
        guard end - position <= JSONRows.otherBytes - othersSize else { throw .badAnswer("no list") }
        guard known != nil else { return nil }
        let text = Array(buffer[position..<end])
        position = end
        othersSize += text.count
        do {
            return try JSONValue(parsing: text)
        } catch {
            throw .badAnswer("no JSON")
        }
    }

    private mutating func takeRow() throws(PeerError) -> Row? {
        let end = scan.end(in: buffer, from: position)
        let length = (end ?? buffer.count) - position
        if scan.isSkipped || length > limit {
            position = end ?? buffer.count
            scan.skip(isAtEnd: end != nil)
            return end == nil ? nil : .tooLarge
        }
        guard let end else { return nil }
        guard length > 0 else { throw .badAnswer("no JSON") }
        defer { position = end }
        return .text(Array(buffer[position..<end]))
    }
}
