internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// Reads the body of `_bulk_docs` while it comes, an object of which one member is the array `docs`.
///
/// The documents are found by their brackets and quotes and not parsed, so that one that is not JSON is an error of its
/// own. What was read is handed out in batches, and the reader keeps the rest: memory does not grow with the body.
///
/// ```swift
/// var reader = BulkReader(documentBytes: 32 << 20)
/// while let piece = try await pieces.next() {
///     try reader.push(piece)
///     while let batch = reader.takeBatch() { ... }
/// }
/// try reader.finish()  // the last batch is there now
/// ```
struct BulkReader {
    private enum Place {
        case start, firstName, name, inName, colon, value, inValue, afterValue
        case array, firstElement, element, inElement, afterElement
        case end
    }

    /// The other members, as far as they have come.
    private(set) var options = JSONObject()
    private var full: [BulkBatch] = []
    private var batch = BulkBatch(isFirst: true)
    private var hasDocuments = false
    /// Batches that were written. Taken and given back for each batch, memory of this size is scattered over what the
    /// allocator keeps for each thread.
    private var spare: [BulkBatch] = []

    private var place = Place.start
    private var valueEnd = JSONValueEnd()
    /// The name of the member whose value comes.
    private var name = ""
    /// What earlier pieces had of the text that is being read.
    private var beginning: [UInt8] = []
    private var optionBytes = 0

    private let documentBytes: Int
    /// Nobody has this much to say beside `docs`.
    private static let mostOptionBytes = 65_536

    /// - Parameter documentBytes: The highest number of bytes of a document.
    init(documentBytes: Int) { self.documentBytes = documentBytes }

    /// About how many bytes of documents have been read and not taken.
    var waitingBytes: Int { full.reduce(batch.size) { $0 + $1.size } }

    /// Whether there is a batch to take.
    var hasBatch: Bool { !full.isEmpty }

    /// Removes and returns a batch of about 4 MiB; nil until so much is there. After `finish`, the rest as well.
    mutating func takeBatch() -> BulkBatch? { full.isEmpty ? nil : full.removeFirst() }

    /// Gives back a batch that was written, so that its memory is used again.
    mutating func reuse(_ batch: BulkBatch) {
        // One is written while another is read.
        if spare.count < 2 { spare.append(batch) }
    }

    /// Reads on.
    ///
    /// - Throws: `bad_request` (400) if it is not an object, or not JSON outside of the documents; `too_large` (413)
    ///   for a document, or other members, over their limit.
    /// - Complexity: O(bytes).
    mutating func push(_ bytes: [UInt8]) throws(CouchError) {
        var position = 0
        while position < bytes.count {
            switch place {
            case .inName, .inValue, .inElement:
                let start = position
                let hasEnded = valueEnd.advance(in: bytes, &position)
                try check(beginning.count + position - start)
                if hasEnded {
                    try take(bytes[start..<position])
                } else {
                    beginning += bytes[start...]
                }
            default:
                let byte = bytes[position]
                if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                    position += 1
                } else if try step(byte) {
                    position += 1
                }
            }
        }
    }

    /// Says that the body has ended.
    ///
    /// - Throws: `bad_request` (400) if it ended in the middle, or has no `docs`.
    mutating func finish() throws(CouchError) {
        guard place == .end else { throw .invalidJSON }
        guard hasDocuments else { throw .badRequest("POST body must include `docs` parameter.") }
        if batch.count > 0 { full.append(batch) }
        batch = BulkBatch(isFirst: true)
    }

    /// Takes a byte between texts.
    ///
    /// - Returns: Whether it was taken; else it is the first of a text.
    private mutating func step(_ byte: UInt8) throws(CouchError) -> Bool {
        switch (place, byte) {
        case (.start, UInt8(ascii: "{")): place = .firstName
        case (.start, _): throw .badRequest("Request body must be a JSON object")
        case (.firstName, UInt8(ascii: "}")), (.afterValue, UInt8(ascii: "}")): place = .end
        case (.firstName, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")): return begin(.inName)
        case (.colon, UInt8(ascii: ":")): place = name == "docs" ? .array : .value
        case (.afterValue, UInt8(ascii: ",")): place = .name
        case (.array, UInt8(ascii: "[")):
            guard !hasDocuments else { throw BulkReader.twice }
            hasDocuments = true
            place = .firstElement
        case (.array, _): throw .badRequest("`docs` parameter must be an array.")
        case (.firstElement, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): place = .afterValue
        case (.afterElement, UInt8(ascii: ",")): place = .element
        case (_, UInt8(ascii: ",")), (_, UInt8(ascii: ":")), (_, UInt8(ascii: "}")), (_, UInt8(ascii: "]")):
            throw .invalidJSON
        case (.value, _): return begin(.inValue)
        case (.firstElement, _), (.element, _): return begin(.inElement)
        default: throw .invalidJSON
        }
        return true
    }

    private mutating func begin(_ text: Place) -> Bool {
        place = text
        valueEnd = JSONValueEnd()
        return false
    }

    /// Checks how long a text is so far.
    private func check(_ count: Int) throws(CouchError) {
        guard count <= (place == .inElement ? documentBytes : BulkReader.mostOptionBytes - optionBytes) else {
            throw .tooLarge
        }
    }

    /// Takes a text that is complete.
    ///
    /// - Parameter end: What the current piece has of it.
    private mutating func take(_ end: ArraySlice<UInt8>) throws(CouchError) {
        defer { beginning.removeAll(keepingCapacity: place != .afterElement) }
        if place == .inElement {
            batch.append(beginning, end)
            place = .afterElement
            if batch.size >= BulkBatch.fullSize {
                full.append(batch)
                batch = spare.popLast() ?? BulkBatch(isFirst: false)
                batch.removeAll()
            }
            return
        }
        optionBytes += beginning.count + end.count
        guard let value = try? JSONValue(parsing: beginning + end) else { throw .invalidJSON }
        if place == .inName {
            guard let text = value.stringValue else { throw .invalidJSON }
            name = text
            place = .colon
        } else {
            guard options[name] == nil else { throw BulkReader.twice }
            options[name] = value
            place = .afterValue
        }
    }

    private static let twice = CouchError.badRequest("A member of the request is there twice.")
}
