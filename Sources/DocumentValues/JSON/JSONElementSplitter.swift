public import StorageProtocol

/// Cuts a stream of JSON text into documents, for bulk import: one at a time, in memory that does not grow with the
/// stream.
///
/// ```swift
/// var splitter = JSONElementSplitter()
/// while let chunk = try read() {
///     splitter.append(chunk)
///     while let element = try splitter.next() { ... }
/// }
/// splitter.finish()
/// while let element = try splitter.next() { ... }
/// ```
///
/// Elements are cut out by their brackets and quotes, not read: a text that is no JSON is noticed when it is parsed. In
/// the `values` layout such a text costs its own line only.
public struct JSONElementSplitter: ~Copyable {
    /// How documents stand in the stream.
    public enum Layout: Sendable {
        /// Found out from the stream: `[` first: `array`. `{` first: `values`, unless the object is all there is and
        /// every one of its members is an object (and there is any): then `members`. Anything else: `values`.
        case automatic
        /// JSON lines: one value a line. Empty lines are skipped; a value may also take several lines, or stand behind
        /// another one.
        case values
        /// The elements of one array.
        case array
        /// The members of one object: the name is the document's ID.
        case members
    }

    /// One document of the stream.
    public struct Element: Sendable, Hashable {
        /// The member's name in the `members` layout, nil otherwise.
        public var name: String?
        /// The document's text as it stands in the stream; empty where it is too large.
        public var text: [UInt8]
        /// The line of the stream on which it begins, from 1.
        public var line: Int
        /// The byte of the stream at which it begins, from 0.
        public var offset: Int
        /// Whether it has more bytes than a document may have, so that it was skipped.
        public var isTooLarge: Bool
    }

    /// What `finish` and `next` go on with.
    enum Phase {
        case detecting
        case values
        case structure
        case ended
    }

    let layout: Layout
    let pointer: JSONPointer
    /// The longest text of an element, in bytes.
    let limit: Int

    /// Bytes of the stream from `offset` on; those before `position` are done with.
    var buffer: [UInt8] = []
    var position = 0
    /// The stream's byte at `buffer[0]`, and the line of `buffer[position]`.
    var offset = 0
    var line = 1
    var isFinished = false
    var phase: Phase
    var lines = LineState()
    var walk = WalkState()
    var parser: JSONParser

    /// - Parameters:
    ///   - layout: how documents stand in the stream.
    ///   - pointer: where in the stream's one value the array or object is whose elements are wanted, as in
    ///     `/statuses`. What else the stream holds is skipped.
    ///   - limit: the longest text of an element, in bytes; longer ones are marked and skipped.
    public init(
        layout: Layout = .automatic,
        at pointer: JSONPointer? = nil,
        limit: Int = JSONLimits.documentLength
    ) {
        self.layout = layout
        self.pointer = pointer ?? JSONPointer(names: [])
        self.limit = limit
        parser = JSONParser(limit: max(limit, 1 << 16))
        if let pointer, !pointer.tokens.isEmpty {
            phase = .structure
        } else {
            switch layout {
            case .automatic: phase = .detecting
            case .values: phase = .values
            case .array, .members: phase = .structure
            }
        }
    }

    /// Adds bytes of the stream, of any number.
    public mutating func append(_ bytes: RawSpan) {
        if isFinished { return }
        discard()
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    /// Adds bytes of the stream, of any number.
    public mutating func append(_ bytes: [UInt8]) { unsafe append(bytes.span.bytes) }

    /// Says that the stream has ended: what `next` could not decide before, it decides now.
    public mutating func finish() { isFinished = true }

    /// The next element. Nil: more bytes are needed, or, after `finish`, there is no other.
    ///
    /// - Throws: `badJSON` (493) where the array or object that holds the elements is not well-formed; `badParameter`
    ///   (495) where there is no array or object at the place asked for. It is thrown once; then there are no more
    ///   elements.
    public mutating func next() throws(StorageError) -> Element? {
        while true {
            switch phase {
            case .detecting:
                guard detect() else { return nil }
            case .values: return nextValue()
            case .structure:
                do {
                    return try nextOfContainer()
                } catch {
                    phase = .ended
                    throw error
                }
            case .ended: return nil
            }
        }
    }
}

extension JSONElementSplitter {
    /// Forgets what is done with, where that is worth a move.
    mutating func discard() {
        guard position > 0, position >= buffer.count - position else { return }
        offset += position
        buffer.removeFirst(position)
        lines.shift(by: position)
        walk.shift(by: position)
        position = 0
    }

    /// Moves on to `target`, counting lines.
    mutating func advance(to target: Int) {
        var i = position
        while let end = lineFeed(from: i, to: target) {
            line += 1
            i = end + 1
        }
        position = target
    }

    /// The first line feed in `start..<end`, nil where there is none.
    func lineFeed(from start: Int, to end: Int) -> Int? {
        guard start < end else { return nil }
        return unsafe buffer.withUnsafeBytes { bytes in
            unsafe indexOfByte(0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[start..<end])).map { start + $0 }
        }
    }

    /// Takes `range` out as an element and moves on to its end.
    mutating func take(_ range: Range<Int>, name: String? = nil) -> Element {
        advance(to: range.lowerBound)
        let isTooLarge = range.count > limit
        let element = Element(
            name: name,
            text: isTooLarge ? [] : Array(buffer[range]),
            line: line,
            offset: offset + range.lowerBound,
            isTooLarge: isTooLarge
        )
        advance(to: range.upperBound)
        return element
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    static func isOpening(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Moves over white space. False: the bytes at hand end there.
    mutating func skipSpace() -> Bool {
        while position < buffer.count {
            let byte = buffer[position]
            if !JSONElementSplitter.isSpace(byte) { return true }
            if byte == 0x0A { line += 1 }
            position += 1
        }
        return false
    }
}
