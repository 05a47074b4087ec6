extension JSONElementSplitter {
    /// Where the work on the value at `position` stands, as places in `buffer`.
    struct LineState {
        /// No line feed from `position` up to here.
        var searched = 0
        /// The outline of a value that is not balanced within its first line.
        var shape: JSONShape?
        /// What the outline has been fed up to here.
        var fed = 0
        /// What the outline has come to, once it is more than a beginning.
        var outcome = JSONShape.Outcome.more
        /// An element over the limit that is being skipped: where it began.
        var skipped: (line: Int, offset: Int)?

        mutating func shift(by count: Int) {
            searched = max(0, searched - count)
            fed = max(0, fed - count)
        }
    }

    /// How far a line is looked for at once; a longer one is followed byte by byte.
    private static let window = 256 << 10

    /// The next value of JSON lines, or of values that stand one behind the other.
    mutating func nextValue() -> Element? {
        while true {
            if lines.shape == nil, lines.skipped != nil { return endSkippedLine() }
            if lines.shape == nil {
                guard skipSpace() else { return nil }
                if !JSONElementSplitter.isOpening(buffer[position]) { return takeLine() }
                guard let range = balancedValue() else {
                    if lines.shape == nil { return nil }
                    continue
                }
                return take(range)
            }
            return followShape()
        }
    }

    /// The end of the line at `position`, nil where it is not at hand. Without a line feed the stream's end is one.
    private mutating func lineEnd() -> Int? {
        let start = max(position, lines.searched)
        let end = lineFeed(from: start, to: buffer.count)
        lines.searched = end ?? buffer.count
        return end ?? (isFinished ? buffer.count : nil)
    }

    /// The bytes of a value that begins and ends within its line. Nil: more bytes are needed, or (`lines.shape` is set
    /// then) it goes on behind the line.
    private mutating func balancedValue() -> Range<Int>? {
        guard let end = lineEnd() else {
            if buffer.count - position > min(limit, JSONElementSplitter.window) { lines = beginningShape() }
            return nil
        }
        let start = position
        let stop: Int? = unsafe buffer.withUnsafeBytes { bytes in
            var skip = unsafe JSONSkip(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            return skip.skipContainer() ? start + skip.position : nil
        }
        guard let stop else {
            lines = beginningShape()
            return nil
        }
        return start..<(isBoundary(stop, before: end) ? stop : trimmed(end))
    }

    /// Whether a value may end at `stop`: nothing but another one follows on the line.
    private func isBoundary(_ stop: Int, before end: Int) -> Bool {
        for i in stop..<end where !JSONElementSplitter.isSpace(buffer[i]) {
            return JSONElementSplitter.isOpening(buffer[i])
        }
        return true
    }

    /// The end of a line without the white space before it.
    func trimmed(_ end: Int) -> Int {
        var end = end
        while end > position, JSONElementSplitter.isSpace(buffer[end - 1]) { end -= 1 }
        return end
    }

    /// A line that does not begin with a bracket: no document, handed out for its parser to refuse.
    private mutating func takeLine() -> Element? {
        if let end = lineEnd() { return take(position..<trimmed(end)) }
        if buffer.count - position > limit { return skipLine() }
        return nil
    }

    /// Begins to skip the line at `position`, which is over the limit.
    private mutating func skipLine() -> Element? {
        lines.skipped = (line, offset + position)
        return endSkippedLine()
    }

    /// Moves behind a line that is being skipped.
    private mutating func endSkippedLine() -> Element? {
        guard let skipped = lines.skipped else { return nil }
        let end = lineEnd()
        position = end ?? buffer.count
        guard end != nil else { return nil }
        lines.skipped = nil
        return Element(name: nil, text: [], line: skipped.line, offset: skipped.offset, isTooLarge: true)
    }
}
