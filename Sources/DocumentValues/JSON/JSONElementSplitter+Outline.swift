extension JSONElementSplitter {
    func beginningShape() -> LineState {
        var state = lines
        state.shape = JSONShape()
        state.fed = position
        state.outcome = .more
        return state
    }

    /// Continues with a value that takes more than its first line.
    mutating func followShape() -> Element? {
        if lines.outcome == .more { feedShape() }
        switch lines.outcome {
        case .complete: return endShape(at: lines.fed + 1)
        case .invalid: return recover(from: lines.fed)
        case .more:
            if lines.skipped == nil, buffer.count - position > limit { lines.skipped = (line, offset + position) }
            if lines.skipped != nil { advance(to: buffer.count) }
            return isFinished ? recover(from: buffer.count) : nil
        }
    }

    mutating func feedShape() {
        guard var shape = lines.shape else { return }
        var i = lines.fed
        var outcome = JSONShape.Outcome.more
        unsafe buffer.withUnsafeBufferPointer { bytes in
            while i < bytes.count {
                outcome = shape.feed(unsafe bytes[i])
                if outcome != .more { break }
                i += 1
            }
        }
        lines.fed = i
        lines.outcome = outcome
        lines.shape = shape
    }

    /// Ends a value at `stop`. If anything other than another value follows on its last line, the rest of the line
    /// becomes part of it, and the value will be refused.
    private mutating func endShape(at stop: Int) -> Element? {
        var next = stop
        while next < buffer.count, buffer[next] != 0x0A, JSONElementSplitter.isSpace(buffer[next]) { next += 1 }
        if next == buffer.count, !isFinished { return giveUpLongLine() }
        if next == buffer.count || buffer[next] == 0x0A || JSONElementSplitter.isOpening(buffer[next]) {
            return finishShape(stop)
        }
        return finishLine(from: next)
    }

    /// Recovers when the value being followed turns out not to be JSON at `fault`. Drops the lines up to the next one
    /// that looks like the beginning of a document, or only the line of the fault if there is none before it.
    private mutating func recover(from fault: Int) -> Element? {
        if lines.skipped == nil {
            var i = position + 1
            while i <= fault, i < buffer.count {
                if buffer[i - 1] == 0x0A, JSONElementSplitter.isOpening(buffer[i]) { return finishShape(i) }
                i += 1
            }
        }
        return finishLine(from: fault)
    }

    /// Ends the element at the end of the line that contains `place`.
    private mutating func finishLine(from place: Int) -> Element? {
        guard let end = lineFeed(from: place, to: buffer.count) ?? (isFinished ? buffer.count : nil) else {
            return giveUpLongLine()
        }
        return finishShape(end)
    }

    /// Waits for the end of a line, unless it is already over the limit: then it is skipped.
    private mutating func giveUpLongLine() -> Element? {
        guard buffer.count - position > limit else { return nil }
        if lines.skipped == nil { lines.skipped = (line, offset + position) }
        advance(to: buffer.count)
        lines.shape = nil
        return nil
    }

    /// Ends the element that has been followed.
    private mutating func finishShape(_ end: Int) -> Element? {
        lines.shape = nil
        if let skipped = lines.skipped {
            lines.skipped = nil
            advance(to: end)
            return Element(name: nil, text: [], line: skipped.line, offset: skipped.offset, isTooLarge: true)
        }
        return take(position..<trimmed(end))
    }
}
