extension JSONParser {
    /// Reads the text into the tape. Returns nil if the text is JSON.
    ///
    /// One loop instead of recursion: a name where there is one, a value, then whatever closes or continues the
    /// containers around it.
    mutating func read() -> JSONFault? {
        let view = text.view
        let length = textLength
        let mostDepth = self.depth
        var tape = self.tape.view
        var room = self.tape.capacity &>> 3 &- 4
        var next = 0
        var depth = 0
        var frame = Frame()
        var i = 0

        if view[0] == 0xEF, view[1] == 0xBB, view[2] == 0xBF { return JSONFault(kind: .byteOrderMark, offset: 0) }
        i = JSONParser.skipSpace(view, i)
        if i >= length { return JSONFault(kind: .empty, offset: length) }

        values: while true {
            // A name and a value need at most two words each.
            if next > room {
                self.tape.reserve((next &+ 4) &<< 3, keeping: next &<< 3)
                tape = self.tape.view
                room = self.tape.capacity &>> 3 &- 4
            }
            if frame.isObject {
                let start = i
                guard view[i] == UInt8(ascii: "\"") else { return JSONFault(kind: .name, offset: i) }
                let stop = JSONStringScan.stop(view, after: start)
                let prefix: UInt64
                var word: UInt64
                // A quote and a colon.
                if view.pair(at: stop) == 0x3A22 {
                    i = stop &+ 2
                    word = JSONTape.plainString(from: start, to: stop)
                    prefix = JSONKeyOrder.asciiPrefix(view.eight(at: start, plus: 1), count: stop &- start &- 1)
                } else {
                    let name = readUnusualName(from: start, stop: stop)
                    if let fault = name.fault { return fault }
                    i = name.end
                    word = name.word
                    prefix = name.prefix
                    // Escaped names are compared in decoded form when they are sorted.
                    if JSONTape.isSpecial(word) { frame.flags |= JSONTape.notCanonical | JSONTape.special }
                    if word & JSONTape.apart != 0 { frame.flags |= JSONTape.notCanonical }
                }
                if view[i] <= 0x20 {
                    i = JSONParser.skipSpace(view, i, &frame)
                    word |= JSONTape.apart
                }
                if prefix <= frame.prefix, frame.flags & JSONTape.special == 0, next > frame.head &+ 2,
                    prefix < frame.prefix || !isAscending(frame.name, word)
                {
                    frame.flags |= JSONTape.notCanonical | JSONTape.special
                }
                if prefix &>> 56 == UInt64(UInt8(ascii: "_")), depth == 1 { hasReservedMembers = true }
                frame.prefix = prefix
                frame.name = next
                tape.setWord(next, word)
                tape.setWord(next, plus: 1, prefix)
                next &+= JSONTape.nameSize
            }

            let start = i
            let byte = view[i]
            if byte == UInt8(ascii: "\"") {
                i = JSONStringScan.stop(view, after: start)
                var flags: UInt64 = 0
                if view[i] != UInt8(ascii: "\"") {
                    let outcome = JSONStringScan.scanRest(view, from: i, length: length)
                    if outcome & JSONStringScan.failed != 0 { return JSONParser.fault(outcome) }
                    i = Int(outcome & 0xFFFF_FFFF)
                    flags = outcome & (JSONTape.notCanonical | JSONTape.special)
                    frame.flags |= flags & JSONTape.notCanonical
                }
                tape.setWord(next, JSONTape.plainString(from: start, to: i) | flags)
                next &+= 1
                i &+= 1
            } else {
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth >= mostDepth { return JSONFault(kind: .depth, offset: i) }
                    depth &+= 1
                    frame.open(tape, at: next, from: start, closing: byte &+ 2)
                    next &+= 2
                    i &+= 1
                    if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
                    if view[i] != byte &+ 2 { continue values }

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
            }

            // After a value, or at the end of an empty container. Mostly a comma follows at once.
            if view[i] != UInt8(ascii: ",") || frame.closing == 0 {
                while true {
                    if frame.closing == 0 { break values }
                    if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
                    let byte = view[i]
                    if byte == UInt8(ascii: ",") { break }
                    guard byte == frame.closing else {
                        return JSONFault(kind: frame.isObject ? .commaOrBrace : .commaOrBracket, offset: i)
                    }
                    i &+= 1
                    if next > frame.head &+ 2 { frame.count &+= 1 }
                    if frame.flags & JSONTape.special != 0 { unsortedMembers &+= frame.count }
                    frame.close(tape, at: next, end: i)
                    depth &-= 1
                }
            }
            frame.count &+= 1
            i &+= 1
            if view[i] <= 0x20 { i = JSONParser.skipSpace(view, i, &frame) }
        }

        i = JSONParser.skipSpace(view, i)
        if i < length { return JSONFault(kind: .trailing, offset: i) }
        tapeLength = next
        return nil
    }

    /// Skips white space. Inside a container it makes the text not canonical.
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
    static func fault(_ outcome: UInt64) -> JSONFault {
        JSONFault(
            kind: JSONFault.Kind(rawValue: UInt8(truncatingIfNeeded: outcome &>> 32)) ?? .value,
            offset: Int(outcome & 0xFFFF_FFFF)
        )
    }
}
