internal import StorageProtocol

extension JSONElementSplitter {
    /// The position on the way through arrays and objects.
    struct WalkState {
        enum Expectation {
            case start
            /// An element or a member, or the end of the container.
            case first
            case item
            case colon
            case value
            case commaOrEnd
            case end
        }

        enum Purpose {
            case name
            case element
            case skip
            /// A line of couchbackup's own between arrays.
            case note
        }

        /// A container that has been entered.
        struct Frame {
            var isObject: Bool
            /// The index of the next element, or of the one being read.
            var index = 0
        }

        /// A name or value whose end is being searched for. `position` stays at its beginning, unless it is skipped.
        struct Pending {
            var purpose: Purpose
            /// The bytes up to this index of the buffer have been examined.
            var scanned: Int
            var depth = 0
            var inString = false
            var isWord: Bool
            var line: Int
            var offset: Int
            var isTooLarge = false
        }

        var expected = Expectation.start
        var frames: [Frame] = []
        var name = ""
        var pending: Pending?
        /// Whether the container with the requested elements has been entered.
        var isFound = false
        /// Whether more arrays may follow the first one.
        var repeats = false

        mutating func shift(by count: Int) { pending?.scanned -= count }
    }

    /// Returns the next element of the array or object: the one at the top of the stream, or the one that the pointer
    /// names.
    mutating func nextOfContainer() throws(StorageError) -> Element? {
        while true {
            if let pending = walk.pending {
                guard let end = try endOfPending() else { return nil }
                walk.pending = nil
                if pending.purpose == .name {
                    try readName(position..<end)
                    walk.expected = .colon
                    continue
                }
                if pending.purpose == .note {
                    guard isBackupNote(position..<end) else {
                        throw fault(JSONFault(kind: .trailing, offset: position))
                    }
                    advance(to: end)
                    walk.expected = .end
                    continue
                }
                walk.expected = .commaOrEnd
                guard pending.purpose == .element else {
                    advance(to: end)
                    continue
                }
                return takeElement(pending, end: end)
            }
            guard skipSpace() else {
                if isFinished { try end() }
                return nil
            }
            try step(buffer[position])
        }
    }

    private mutating func step(_ byte: UInt8) throws(StorageError) {
        let isObject = walk.frames.last?.isObject == true
        switch walk.expected {
        case .start: try beginValue(byte)
        case .first where byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")): leave()
        case .first, .item:
            if !isObject { return try beginValue(byte) }
            guard byte == UInt8(ascii: "\"") else { throw fault(JSONFault(kind: .name, offset: position)) }
            look(.name)
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw fault(JSONFault(kind: .colon, offset: position)) }
            position += 1
            walk.expected = .value
        case .value: try beginValue(byte)
        case .commaOrEnd:
            if byte == UInt8(ascii: ",") {
                position += 1
                walk.frames[walk.frames.count - 1].index += 1
                walk.expected = .item
            } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                leave()
            } else {
                throw fault(JSONFault(kind: isObject ? .commaOrBrace : .commaOrBracket, offset: position))
            }
        case .end where walk.repeats && byte == UInt8(ascii: "["): try beginValue(byte)
        case .end where walk.repeats && byte == UInt8(ascii: "{"): look(.note)
        case .end: throw fault(JSONFault(kind: .trailing, offset: position))
        }
    }

    /// Enters a value that is on the way, or begins to search for the end of any other.
    private mutating func beginValue(_ byte: UInt8) throws(StorageError) {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"):
            throw fault(JSONFault(kind: .value, offset: position))
        default: break
        }
        let depth = walk.frames.count
        if depth > pointer.tokens.count, walk.isFound { return look(.element) }
        if depth > 0, !isOnTheWay(pointer.tokens[depth - 1]) { return look(.skip) }
        guard JSONElementSplitter.isOpening(byte) else { throw nothingThere }
        let isObject = byte == UInt8(ascii: "{")
        if depth == pointer.tokens.count {
            if layout == .array && isObject || layout == .members && !isObject { throw nothingThere }
            walk.isFound = true
        }
        walk.frames.append(WalkState.Frame(isObject: isObject))
        walk.expected = .first
        position += 1
    }

    private func isOnTheWay(_ token: JSONPointer.Token) -> Bool {
        guard !walk.isFound, let frame = walk.frames.last else { return false }
        return frame.isObject ? walk.name.hasSameBytes(as: token.name) : frame.index == token.index
    }

    private mutating func leave() {
        position += 1
        walk.frames.removeLast()
        walk.expected = walk.frames.isEmpty ? .end : .commaOrEnd
    }

    /// Begins to search for the end of the name or value at `position`.
    private mutating func look(_ purpose: WalkState.Purpose) {
        let byte = buffer[position]
        walk.pending = WalkState.Pending(
            purpose: purpose,
            scanned: position,
            isWord: !JSONElementSplitter.isOpening(byte) && byte != UInt8(ascii: "\""),
            line: line,
            offset: offset + position
        )
    }

    /// Continues the search. Returns nil if more bytes are needed.
    private mutating func endOfPending() throws(StorageError) -> Int? {
        guard var pending = walk.pending else { return nil }
        let isComplete: Bool
        if pending.isWord {
            isComplete = skipWord(&pending)
        } else {
            isComplete = unsafe buffer.withUnsafeBytes { bytes in
                var skip = unsafe JSONSkip(
                    bytes,
                    at: pending.scanned,
                    depth: pending.depth,
                    inString: pending.inString
                )
                let isComplete = skip.skipContainer()
                pending.scanned = skip.position
                pending.depth = skip.depth
                pending.inString = skip.inString
                return isComplete
            }
        }
        if !isComplete {
            if isFinished { throw fault(JSONFault(kind: .empty, offset: buffer.count)) }
            if pending.scanned - position > limit {
                if pending.purpose == .note { throw fault(JSONFault(kind: .trailing, offset: position)) }
                if pending.purpose == .name { throw JSONLimits.tooLong(pending.scanned - position, limit: limit) }
                pending.isTooLarge = true
            }
            if pending.purpose == .skip || pending.isTooLarge { advance(to: min(pending.scanned, buffer.count)) }
        }
        walk.pending = pending
        return isComplete ? pending.scanned : nil
    }

    private func skipWord(_ pending: inout WalkState.Pending) -> Bool {
        while pending.scanned < buffer.count {
            switch buffer[pending.scanned] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return true
            case let byte where JSONElementSplitter.isSpace(byte): return true
            default: pending.scanned += 1
            }
        }
        return false
    }

    private mutating func takeElement(_ pending: WalkState.Pending, end: Int) -> Element {
        let name = walk.frames.last?.isObject == true ? walk.name : nil
        guard pending.isTooLarge else { return take(position..<end, name: name) }
        advance(to: end)
        return Element(name: name, text: [], line: pending.line, offset: pending.offset, isTooLarge: true)
    }

    private mutating func readName(_ range: Range<Int>) throws(StorageError) {
        let text = Array(buffer[range])
        do {
            try unsafe parser.parse(text.span.bytes)
        } catch {
            throw StorageError(
                .badJSON,
                "A member's name at byte \(offset + position) of the JSON text is not acceptable. \(error.message)"
            )
        }
        walk.name = parser.root.flatMap { parser.string(of: $0) } ?? ""
        position = range.upperBound
    }

    /// Called at the end of the stream.
    private mutating func end() throws(StorageError) {
        guard walk.expected == .end else { throw fault(JSONFault(kind: .empty, offset: position)) }
        phase = .ended
        if !walk.isFound { throw nothingThere }
    }

    /// Converts a fault at a position in the buffer to one at a position in the stream.
    private func fault(_ fault: JSONFault) -> StorageError {
        JSONFault(kind: fault.kind, offset: offset + fault.offset).error
    }

    private var nothingThere: StorageError {
        StorageError(
            .badParameter,
            "The JSON text has no suitable array or object at '\(pointer)'. Name the place of one, as in /statuses."
        )
    }
}
