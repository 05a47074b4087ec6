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
/// Elements are found by their brackets and quotes and not parsed: text that is not JSON is only detected when it is
/// parsed. In the `values` layout such text only affects its own line.
public struct JSONElementSplitter: ~Copyable {
    /// How documents are arranged in the stream.
    public enum Layout: Sendable {
        /// Detected from the stream. If it begins with `[`: `array`, or several of them, one after the other, as
        /// couchbackup writes them (with or without its own lines between them). If it begins with `{`: `values`,
        /// unless the stream consists of a single object, and this has members, all of which are objects: then
        /// `members`. An answer of CouchDB's `_all_docs` is the array in its `rows`. Otherwise `values`.
        case automatic
        /// JSON lines: one value per line. Empty lines are skipped. A value may also take several lines, or follow
        /// another one on the same line.
        case values
        /// The elements of one array.
        case array
        /// The members of one object. The name is the document's ID.
        case members
    }

    /// One document of the stream.
    public struct Element: Sendable, Hashable {
        /// The member's name in the `members` layout, nil otherwise.
        public var name: String?
        /// The document's text exactly as in the stream; empty if it is too large.
        public var text: [UInt8]
        /// The line of the stream on which it begins, from 1.
        public var line: Int
        /// The byte of the stream at which it begins, from 0.
        public var offset: Int
        /// Whether it exceeds the maximum size of a document, so that it was skipped.
        public var isTooLarge: Bool
    }

    /// What `finish` and `next` continue with.
    enum Phase {
        case detecting
        case values
        case structure
        case ended
    }

    let layout: Layout
    var pointer: JSONPointer
    /// The maximum length of an element's text, in bytes.
    let limit: Int

    /// The bytes of the stream from `offset` on. Those before `position` have been processed.
    var buffer: [UInt8] = []
    var position = 0
    /// The offset in the stream of `buffer[0]`, and the line of `buffer[position]`.
    var offset = 0
    var line = 1
    var isFinished = false
    var phase: Phase
    var lines = LineState()
    var walk = WalkState()
    var parser: JSONParser

    /// - Parameters:
    ///   - layout: How documents are arranged in the stream.
    ///   - pointer: The path in the stream's single value to the array or object with the requested elements, for
    ///     example `/statuses`. Everything else in the stream is skipped.
    ///   - limit: The maximum length of an element's text, in bytes. Longer elements are marked and skipped.
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

    /// Appends any number of bytes of the stream.
    public mutating func append(_ bytes: RawSpan) {
        if isFinished { return }
        discard()
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    /// Appends any number of bytes of the stream.
    public mutating func append(_ bytes: [UInt8]) { unsafe append(bytes.span.bytes) }

    /// Ends the stream. `next` then decides what it could not decide before.
    public mutating func finish() { isFinished = true }

    /// Returns the next element. Nil: more bytes are needed, or, after `finish`, there are no more elements.
    ///
    /// - Throws: `badJSON` (493) if the array or object that holds the elements is malformed; `badParameter` (495) if
    ///   there is no array or object at the path given by `pointer`. It is thrown once; then there are no more
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
    /// Removes processed bytes, if there are enough of them to be worth moving the rest.
    mutating func discard() {
        guard position > 0, position >= buffer.count - position else { return }
        offset += position
        buffer.removeFirst(position)
        lines.shift(by: position)
        walk.shift(by: position)
        position = 0
    }

    /// Moves to `target`, counting lines.
    mutating func advance(to target: Int) {
        var i = position
        while let end = lineFeed(from: i, to: target) {
            line += 1
            i = end + 1
        }
        position = target
    }

    /// Returns the first line feed in `start..<end`, or nil if there is none.
    func lineFeed(from start: Int, to end: Int) -> Int? {
        guard start < end else { return nil }
        return unsafe buffer.withUnsafeBytes { bytes in
            unsafe indexOfByte(0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[start..<end])).map { start + $0 }
        }
    }

    /// Returns `range` as an element and moves to its end.
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

    /// Moves past white space. Returns false if the available bytes end there.
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
