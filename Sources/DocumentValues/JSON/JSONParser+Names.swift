extension JSONParser {
    /// What is read of a member before its value.
    struct Name {
        /// Its first word on the tape.
        var word: UInt64
        /// Its second word: the number by which it is sorted.
        var prefix: UInt64
        /// The offset after the colon.
        var end: Int
        var fault: JSONFault?
    }

    /// Reads a name that is more than plain characters, a quote and a colon. It begins at `start`, and the first byte
    /// that is no plain character is at `stop`.
    @inline(never)
    func readUnusualName(from start: Int, stop: Int) -> Name {
        let view = text.view
        var name = Name(word: 0, prefix: 0, end: stop)
        var flags: UInt64 = 0
        if view[stop] != UInt8(ascii: "\"") {
            let outcome = JSONStringScan.scanRest(view, from: stop, length: textLength)
            if outcome & JSONStringScan.failed != 0 {
                name.fault = JSONParser.fault(outcome)
                return name
            }
            name.end = Int(outcome & 0xFFFF_FFFF)
            flags = outcome & (JSONTape.notCanonical | JSONTape.special)
        }
        name.end &+= 1
        name.word = JSONTape.word(.string, from: start, to: name.end, flags: flags)
        name.prefix = withDecoded(name.word) { JSONKeyOrder.prefix($0) }
        if view[name.end] != UInt8(ascii: ":") {
            name.end = JSONParser.skipSpace(view, name.end)
            name.word |= JSONTape.apart
            if view[name.end] != UInt8(ascii: ":") { name.fault = JSONFault(kind: .colon, offset: name.end) }
        }
        name.end &+= 1
        return name
    }

    /// Whether the last name comes before another that is sorted by the same number.
    @inline(never)
    func isAscending(_ last: Int, _ word: UInt64) -> Bool { compareNames(tape.view.word(last), word) < 0 }
}
