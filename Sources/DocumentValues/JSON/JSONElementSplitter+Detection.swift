extension JSONElementSplitter {
    /// Detects the layout. Returns false if more bytes are needed.
    mutating func detect() -> Bool {
        if lines.shape == nil {
            guard skipSpace() else {
                if isFinished { phase = .ended }
                return isFinished
            }
            switch buffer[position] {
            case UInt8(ascii: "["):
                walk.repeats = true
                return decide(.structure)
            case UInt8(ascii: "{"): lines = beginningShape()
            default: return decide(.values)
            }
        }
        if lines.outcome == .more { feedShape() }
        if beginsLikeRows() {
            pointer = JSONElementSplitter.rows
            return decide(.structure)
        }
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
        if let next = buffer[end...].firstIndex(where: { !JSONElementSplitter.isSpace($0) }) {
            guard buffer[next] == UInt8(ascii: "["), isBackupNote(position..<end) else { return decide(.values) }
            advance(to: next)
            walk.repeats = true
            return decide(.structure)
        }
        guard isFinished else { return false }
        if isBackupNote(position..<end) {
            position = end
            return decide(.ended)
        }
        return decide(holdsOnlyObjects(position..<end) ? .structure : .values)
    }

    /// Where CouchDB's answers have the rows of `_all_docs`.
    private static let rows = JSONPointer(names: ["rows"])
    /// The first array of such an answer begins within this number of bytes, unless the stream is something else.
    private static let rowsWithin = 4096

    /// Whether the object at `position` is an answer of `_all_docs`: what comes before its first array is
    /// `{"total_rows":N,"offset":N,"rows":`, in any order.
    private mutating func beginsLikeRows() -> Bool {
        let head = buffer[position...].prefix(JSONElementSplitter.rowsWithin)
        guard let bracket = head.firstIndex(of: UInt8(ascii: "[")),
            let root = parsed(Array(buffer[position...bracket]) + Array("]}".utf8)), parser.count(of: root) <= 4,
            parser.member("total_rows", of: root) != nil
        else { return false }
        return parser.member("rows", of: root) != nil
    }

    /// Whether an object is one of the lines that couchbackup writes beside those with documents: the first one, which
    /// names the program, or the mark of a backup that was interrupted and resumed.
    mutating func isBackupNote(_ range: Range<Int>) -> Bool {
        guard range.count < 1024, let root = parsed(Array(buffer[range])) else { return false }
        let named = parser.member("name", of: root) ?? parser.member("marker", of: root)
        guard let named, let name = parser.string(of: named) else { return false }
        return name == "@cloudant/couchbackup" || name == "@cloudant/couchbackup:resume"
    }

    /// Parses a text, and returns its root if it is an object.
    private mutating func parsed(_ text: [UInt8]) -> JSONNode? {
        do {
            try unsafe parser.parse(text.span.bytes)
        } catch {
            return nil
        }
        return parser.root.flatMap { parser.kind(of: $0) == .object ? $0 : nil }
    }

    private mutating func holdsOnlyObjects(_ range: Range<Int>) -> Bool {
        // A member of this name makes it a document: no document has such an ID.
        guard let root = parsed(Array(buffer[range])), parser.count(of: root) > 0,
            parser.member("_id", of: root) == nil
        else { return false }
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
