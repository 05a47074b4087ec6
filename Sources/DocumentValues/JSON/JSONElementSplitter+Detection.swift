extension JSONElementSplitter {
    /// Detects the layout. Returns false if more bytes are needed.
    mutating func detect() -> Bool {
        if lines.shape == nil {
            guard skipSpace() else {
                if isFinished { phase = .ended }
                return isFinished
            }
            switch buffer[position] {
            case UInt8(ascii: "["): return decide(.structure)
            case UInt8(ascii: "{"): lines = beginningShape()
            default: return decide(.values)
            }
        }
        if lines.outcome == .more { feedShape() }
        switch lines.outcome {
        case .invalid: return decide(.values)
        case .complete: return decideByWhatFollows()
        case .more:
            // No document may be this large.
            if buffer.count - position > limit { return decide(firstMemberIsObject() ? .structure : .values) }
            return isFinished && decide(.values)
        }
    }

    private mutating func decide(_ phase: Phase) -> Bool {
        lines = LineState()
        self.phase = phase
        return true
    }

    /// Decides after one complete object: what follows shows whether it is one of many.
    private mutating func decideByWhatFollows() -> Bool {
        let end = lines.fed + 1
        if buffer[end...].contains(where: { !JSONElementSplitter.isSpace($0) }) { return decide(.values) }
        guard isFinished else { return false }
        return decide(holdsOnlyObjects(position..<end) ? .structure : .values)
    }

    private mutating func holdsOnlyObjects(_ range: Range<Int>) -> Bool {
        let text = Array(buffer[range])
        do {
            try unsafe parser.parse(text.span.bytes)
        } catch {
            return false
        }
        guard let root = parser.root, parser.count(of: root) > 0 else { return false }
        var onlyObjects = true
        parser.forEachMember(of: root) { _, value in
            if parser.kind(of: value) != .object { onlyObjects = false }
        }
        return onlyObjects
    }

    /// Whether the value of the first member begins with a brace.
    private func firstMemberIsObject() -> Bool {
        var i = position + 1
        var quotes = 0
        while i < buffer.count {
            switch buffer[i] {
            case UInt8(ascii: "\""): quotes += 1
            case UInt8(ascii: "\\"): i += 1
            case UInt8(ascii: ":") where quotes == 2:
                let value = buffer[(i + 1)...].first { !JSONElementSplitter.isSpace($0) }
                return value == UInt8(ascii: "{")
            default: break
            }
            i += 1
        }
        return false
    }
}
