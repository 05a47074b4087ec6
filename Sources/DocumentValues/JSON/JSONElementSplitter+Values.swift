extension JSONElementSplitter {
    /// The progress on the value at `position`. Positions are indexes of `buffer`.
    struct LineState {
        /// There is no line feed from `position` up to here.
        var searched = 0
        /// The outline of a value that is not balanced within its first line.
        var shape: JSONShape?
        /// The outline has received the bytes up to here.
        var fed = 0
        /// The result of the outline, once it has one.
        var outcome = JSONShape.Outcome.more
        /// The beginning of an element over the limit that is being skipped.
        var skipped: (line: Int, offset: Int)?

        mutating func shift(by count: Int) {
            searched = max(0, searched - count)
            fed = max(0, fed - count)
        }
    }

    /// How many bytes are searched for the end of a line at once. A longer line is followed byte by byte.
    private static let window = 256 << 10

    /// Returns the next value of JSON lines, or of values that follow one another.
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

    /// Returns the end of the line at `position`, or nil if it has not arrived yet. Without a line feed, the line ends
    /// with the stream.
    private mutating func lineEnd() -> Int? {
        let start = max(position, lines.searched)
        let end = lineFeed(from: start, to: buffer.count)
        lines.searched = end ?? buffer.count
        return end ?? (isFinished ? buffer.count : nil)
    }

    /// Returns the bytes of a value that begins and ends within its line. Nil: more bytes are needed, or the value
    /// continues after the line (then `lines.shape` is set).
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

    /// Whether a value may end at `stop`: only another value follows on the line.
    private func isBoundary(_ stop: Int, before end: Int) -> Bool {
        for i in stop..<end where !JSONElementSplitter.isSpace(buffer[i]) {
            return JSONElementSplitter.isOpening(buffer[i])
        }
        return true
    }

    /// Returns the end of a line without the white space before it.
    func trimmed(_ end: Int) -> Int {
        var end = end
        while end > position, JSONElementSplitter.isSpace(buffer[end - 1]) { end -= 1 }
        return end
    }

    /// Takes a line that does not begin with a bracket. It is not a document, but is returned so that its parser
    /// refuses it.
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

    /// Moves to the end of a line that is being skipped.
    private mutating func endSkippedLine() -> Element? {
        guard let skipped = lines.skipped else { return nil }
        let end = lineEnd()
        position = end ?? buffer.count
        guard end != nil else { return nil }
        lines.skipped = nil
        return Element(name: nil, text: [], line: skipped.line, offset: skipped.offset, isTooLarge: true)
    }
}
