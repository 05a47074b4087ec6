public import StorageProtocol

/// Reads JSON texts one after another, into memory that it reuses. Create one parser for many texts.
///
/// The whole text is copied and checked (the grammar of RFC 8259, UTF-8, numbers, depth). Its values are then read
/// through `JSONNode`s, without building a tree. A part of the text that is already canonical is copied unchanged.
///
/// ```swift
/// var parser = JSONParser()
/// try parser.parse(text)
/// var body: [UInt8] = []
/// try parser.writeDocumentBody(into: &body)
/// ```
///
/// - Complexity: Parsing is linear in the text's length. So is writing, plus the sorting of members that are out of
///   order.
public struct JSONParser: ~Copyable {
    /// The maximum length of a text, in bytes.
    public let limit: Int
    /// The maximum nesting depth.
    let depth: Int

    var text: RawBlock
    var tape: RawBlock
    var output: RawBlock
    var scratch: RawBlock

    var textLength = 0
    var tapeLength = 0
    /// The number of doubles whose text has to be rewritten. Each may grow by 24 bytes.
    var rewrittenDoubles = 0
    /// The number of members of objects that must be sorted.
    var unsortedMembers = 0
    var generation: UInt32 = 0

    /// Whether the text is an object with members whose name begins with `_`.
    public internal(set) var hasReservedMembers = false

    /// - Parameters:
    ///   - limit: The maximum length of a text, in bytes; at most `JSONLimits.textLength`.
    ///   - envelope: How many levels may stand around a document of the greatest depth.
    public init(limit: Int = JSONLimits.documentLength, envelope: Int = 0) {
        self.limit = max(0, min(limit, JSONLimits.textLength))
        depth = JSONLimits.depth + max(0, min(envelope, JSONLimits.depth))
        text = RawBlock(capacity: 2048)
        tape = RawBlock(capacity: 2048)
        output = RawBlock(capacity: 2048)
        scratch = RawBlock(capacity: 512)
    }

    /// Reads a text. Nodes of the previous text become invalid, whether this succeeds or not.
    ///
    /// - Throws: `badJSON` (493), naming the byte and the remedy; `tooLarge` (413) over `limit` bytes.
    public mutating func parse(_ source: RawSpan) throws(StorageError) {
        generation &+= 1
        tapeLength = 0
        textLength = 0
        rewrittenDoubles = 0
        unsortedMembers = 0
        hasReservedMembers = false
        let length = source.byteCount
        if length > limit { throw JSONLimits.tooLong(length, limit: limit) }
        if text.capacity > 1 << 20 { trim(to: length) }
        text.reserve(length)
        text.view.copy(source, to: 0)
        // Zeros end every scan that reaches the end of the text.
        text.view.clearPadding(length)
        textLength = length
        if let fault = read() {
            tapeLength = 0
            throw fault.error
        }
        output.reserve(length + 24 * rewrittenDoubles)
        let rootMembers = hasReservedMembers ? JSONTape.count(tape.view.word(1)) : 0
        // What the writer sorts, and the containers that it has open at a time.
        let open = min(depth, tapeLength / 2) + 1
        scratch.reserve(16 * (unsortedMembers + rootMembers + open))
    }

    private mutating func trim(to length: Int) {
        text.trim(to: length)
        tape.trim(to: length)
        output.trim(to: length)
        scratch.trim(to: length)
    }
}

extension JSONParser {
    /// The top value of the text. Nil before the first text, and after a text that was refused.
    public var root: JSONNode? { tapeLength > 0 ? node(0) : nil }

    @inline(__always)
    func node(_ index: Int) -> JSONNode { JSONNode(index: UInt32(truncatingIfNeeded: index), generation: generation) }

    /// The first word of a node.
    @inline(__always)
    func word(of node: JSONNode) -> UInt64 {
        precondition(node.generation == generation && Int(node.index) < tapeLength, "a node of another text")
        return tape.view.word(Int(node.index))
    }
}
