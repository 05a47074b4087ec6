extension JSONParser {
    /// Reads the text into the tape. Returns nil if the text is JSON.
    ///
    /// One loop instead of recursion: a value, then whatever closes or continues the containers around it.
    mutating func read() -> JSONFault? {
        let view = text.view
        let stack = self.stack.view
        let length = textLength
        var tape = self.tape.view
        var room = self.tape.capacity &>> 3
        var next = 0
        var depth = 0
        var frame = Frame()
        var i = 0

        if view[0] == 0xEF, view[1] == 0xBB, view[2] == 0xBF { return JSONFault(kind: .byteOrderMark, offset: 0) }
        i = JSONParser.skipSpace(view, i)
        if i >= length { return JSONFault(kind: .empty, offset: length) }

        values: while true {
            // A value needs at most two words, and a name before the next one a third.
            if next &+ 4 > room {
                self.tape.reserve((next &+ 4) &<< 3, keeping: next &<< 3)
                tape = self.tape.view
                room = self.tape.capacity &>> 3
            }
            let start = i
            let byte = view[i]
            switch byte {
            case UInt8(ascii: "\""):
                let outcome = JSONStringScan.scan(view, from: i &+ 1, length: length)
                if outcome & JSONStringScan.failed != 0 { return JSONParser.fault(outcome) }
                i = Int(outcome & 0xFFFF_FFFF)
                let flags = outcome & (JSONTape.notCanonical | JSONTape.special)
                frame.flags |= flags & JSONTape.notCanonical
                tape.setWord(next, JSONTape.word(.string, from: start, to: i, flags: flags))
                next &+= 1

            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth >= JSONLimits.depth { return JSONFault(kind: .depth, offset: i) }
                frame.save(stack, depth)
                depth &+= 1
                frame = Frame(head: next, isObject: byte == UInt8(ascii: "{"))
                tape.setWord(next, UInt64(truncatingIfNeeded: start))
                next &+= 2
                i &+= 1
                if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
                if view[i] != byte &+ 2 {
                    if frame.isObject {
                        if let fault = readName(view, tape, &i, &next, &frame, depth) { return fault }
                    }
                    continue values
                }

            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let outcome = JSONNumberScan.scan(view, from: i)
                if outcome & JSONStringScan.failed != 0 { return JSONParser.fault(outcome) }
                i = Int(outcome & JSONTape.offsetMask)
                let rewritten = outcome & JSONTape.notCanonical
                if rewritten != 0 {
                    rewrittenDoubles &+= 1
                    frame.flags |= rewritten
                }
                let head = outcome & ~JSONTape.offsetMask | UInt64(truncatingIfNeeded: i) &<< JSONTape.offsetBits
                tape.setWord(next, head | UInt64(truncatingIfNeeded: start))
                next &+= 1

            case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                let eight = view.eight(at: i)
                let kind: JSONKind
                if eight & 0xFFFF_FFFF == 0x6575_7274 {
                    kind = .true
                } else if eight & 0xFFFF_FFFF == 0x6C6C_756E {
                    kind = .null
                } else if eight & 0xFF_FFFF_FFFF == 0x65_736C_6166 {
                    kind = .false
                } else {
                    return JSONFault(kind: .value, offset: i)
                }
                i &+= kind == .false ? 5 : 4
                tape.setWord(next, JSONTape.word(kind, from: start, to: i))
                next &+= 1

            default:
                return JSONFault(kind: i >= length ? .empty : .value, offset: i)
            }

            // After a value, or at the end of an empty container.
            while depth > 0 {
                if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
                let byte = view[i]
                if byte == UInt8(ascii: ",") {
                    frame.count &+= 1
                    i &+= 1
                    if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
                    if frame.isObject {
                        if let fault = readName(view, tape, &i, &next, &frame, depth) { return fault }
                    }
                    continue values
                }
                guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return JSONFault(kind: frame.isObject ? .commaOrBrace : .commaOrBracket, offset: i)
                }
                i &+= 1
                if next > frame.head &+ 2 { frame.count &+= 1 }
                if frame.flags & JSONTape.special != 0 { unsortedMembers &+= frame.count }
                let opening = JSONTape.start(tape.word(frame.head))
                tape.setWord(
                    frame.head,
                    JSONTape.word(frame.isObject ? .object : .array, from: opening, to: i, flags: frame.flags)
                )
                tape.setWord(frame.head &+ 1, JSONTape.extent(next: next, count: frame.count))
                let inherited = frame.flags & JSONTape.notCanonical
                depth &-= 1
                frame.restore(stack, depth)
                frame.flags |= inherited
            }
            break
        }

        i = JSONParser.skipSpace(view, i)
        if i < length { return JSONFault(kind: .trailing, offset: i) }
        tapeLength = next
        return nil
    }

    /// Reads a member's name and its colon, and records whether names do not ascend.
    @inline(__always)
    private mutating func readName(
        _ view: RawView,
        _ tape: RawView,
        _ i: inout Int,
        _ next: inout Int,
        _ frame: inout Frame,
        _ depth: Int
    ) -> JSONFault? {
        let start = i
        guard view[i] == UInt8(ascii: "\"") else { return JSONFault(kind: .name, offset: i) }
        let outcome = JSONStringScan.scan(view, from: i &+ 1, length: textLength)
        if outcome & JSONStringScan.failed != 0 { return JSONParser.fault(outcome) }
        i = Int(outcome & 0xFFFF_FFFF)
        let flags = outcome & (JSONTape.notCanonical | JSONTape.special)
        let prefix = JSONParser.prefix(view, start &+ 1, i &- start &- 2)
        if flags != 0 {
            // Escaped names are compared in decoded form when they are sorted.
            frame.flags |= JSONTape.notCanonical | JSONTape.special
        } else if frame.flags & JSONTape.special == 0, next > frame.head &+ 2 {
            let order = JSONKeyOrder.comparePrefixes(frame.prefix, prefix)
            if order > 0 || (order == 0 && !isAscending(frame.name, start, i)) {
                frame.flags |= JSONTape.notCanonical | JSONTape.special
            }
        }
        if depth == 1, view[start &+ 1] == UInt8(ascii: "_") || flags != 0 {
            if flags == 0 || firstByte(ofName: start, i) == UInt8(ascii: "_") { hasReservedMembers = true }
        }
        frame.prefix = prefix
        frame.name = next
        tape.setWord(next, JSONTape.word(.string, from: start, to: i, flags: flags))
        next &+= 1
        if view[i] != UInt8(ascii: ":") {
            i = JSONParser.skipSpace(view, i, &frame)
            guard view[i] == UInt8(ascii: ":") else { return JSONFault(kind: .colon, offset: i) }
        }
        i &+= 1
        if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
        return nil
    }

    /// Returns the first eight bytes of a name, the first one highest, padded with zeros.
    @inline(__always)
    static func prefix(_ view: RawView, _ start: Int, _ count: Int) -> UInt64 {
        let eight = view.eight(at: start).byteSwapped
        return count >= 8 ? eight : eight & ~(UInt64.max &>> UInt64(truncatingIfNeeded: count &<< 3))
    }

    /// Whether the last name comes before the one at `start..<end`, whose first eight bytes are the same.
    @inline(never)
    private func isAscending(_ last: Int, _ start: Int, _ end: Int) -> Bool {
        compareNames(tape.view.word(last), JSONTape.word(.string, from: start, to: end)) < 0
    }

    /// Returns the first byte of an escaped name.
    @inline(never)
    private func firstByte(ofName start: Int, _ end: Int) -> UInt8? {
        decoded(JSONTape.word(.string, from: start, to: end, flags: JSONTape.special)).first
    }

    /// Skips white space, which is never canonical inside a container.
    @inline(__always)
    private static func skipSpace(_ view: RawView, _ start: Int, _ frame: inout Frame) -> Int {
        let end = skipSpace(view, start)
        if end != start { frame.flags |= JSONTape.notCanonical }
        return end
    }

    @inline(__always)
    static func skipSpace(_ view: RawView, _ start: Int) -> Int {
        var i = start
        while true {
            switch view[i] {
            case 0x20, 0x0A, 0x0D, 0x09: i &+= 1
            default: return i
            }
        }
    }

    @inline(never)
    private static func fault(_ outcome: UInt64) -> JSONFault {
        JSONFault(
            kind: JSONFault.Kind(rawValue: UInt8(truncatingIfNeeded: outcome &>> 32)) ?? .value,
            offset: Int(outcome & 0xFFFF_FFFF)
        )
    }
}
