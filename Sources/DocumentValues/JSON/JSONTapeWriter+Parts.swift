extension JSONTapeWriter {
    /// Copies source text unchanged.
    @inline(__always)
    mutating func copy(_ start: Int, _ end: Int) {
        output.copy(text, from: start, count: end &- start, to: length)
        length &+= end &- start
    }

    /// Returns the tape position after the value at `index`.
    @inline(__always)
    func next(after index: Int) -> Int {
        let kind = JSONTape.kind(tape.word(index))
        return kind == .object || kind == .array ? JSONTape.next(tape.word(index &+ 1)) : index &+ 1
    }

    /// Writes a string whose escapes are not all canonical.
    mutating func writeString(_ word: UInt64) {
        let end = JSONTape.end(word)
        var i = JSONTape.start(word)
        while i < end {
            var stop = i
            while stop < end, text[stop] != UInt8(ascii: "\\") { stop &+= 1 }
            copy(i, stop)
            i = stop
            if i < end {
                let escape = JSONEscape(text, at: i)
                length = escape.write(to: output, at: length)
                i = escape.end
            }
        }
    }

    /// Puts an object's names into the sorting space, in canonical order, of equal names only the last. An entry is the
    /// name's first eight bytes and its tape position.
    mutating func gather(_ object: Int, _ parser: borrowing JSONParser, skippingReserved: Bool) {
        let base = sorted
        let end = JSONTape.next(tape.word(object &+ 1))
        var i = object &+ 2
        while i < end {
            let word = tape.word(i)
            if !(skippingReserved && parser.isLeftOut(word)) {
                scratch.setWord(sorted &<< 1, prefix(word, parser))
                scratch.setWord(sorted &<< 1 &+ 1, UInt64(truncatingIfNeeded: i))
                sorted &+= 1
            }
            i = next(after: i &+ 1)
        }
        guard JSONTape.isSpecial(tape.word(object)) else { return }
        if sorted &- base <= 24 { sortFew(base, parser) } else { sortMany(base, parser) }
        dropOverridden(base, parser)
    }

    /// Returns the tape positions of an object's names in canonical order. Of equal names only the last is included.
    mutating func sortedNames(of object: Int, _ parser: borrowing JSONParser) -> [Int] {
        gather(object, parser, skippingReserved: false)
        return (0..<sorted).map { Int(entry($0).name) }
    }

    @inline(__always)
    private func prefix(_ word: UInt64, _ parser: borrowing JSONParser) -> UInt64 {
        if JSONTape.isSpecial(word) { return decodedPrefix(word, parser) }
        let start = JSONTape.start(word) &+ 1
        return JSONParser.prefix(text, start, JSONTape.end(word) &- start &- 1)
    }

    @inline(never)
    private func decodedPrefix(_ word: UInt64, _ parser: borrowing JSONParser) -> UInt64 {
        var prefix: UInt64 = 0
        let bytes = parser.decoded(word).prefix(8)
        for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : prefix << UInt64(64 - 8 * bytes.count)
    }

    /// Compares two entries; equal names by their position.
    @inline(__always)
    private func order(
        _ a: (prefix: UInt64, name: UInt64),
        _ b: (prefix: UInt64, name: UInt64),
        _ parser: borrowing JSONParser
    ) -> Int {
        let order = JSONKeyOrder.comparePrefixes(a.prefix, b.prefix)
        if order != 0 { return order }
        let whole = parser.compareNames(tape.word(Int(a.name)), tape.word(Int(b.name)))
        return whole != 0 ? whole : Int(a.name) &- Int(b.name)
    }

    @inline(__always)
    private func entry(_ index: Int) -> (prefix: UInt64, name: UInt64) {
        (scratch.word(index &<< 1), scratch.word(index &<< 1 &+ 1))
    }

    @inline(__always)
    private func setEntry(_ index: Int, _ entry: (prefix: UInt64, name: UInt64)) {
        scratch.setWord(index &<< 1, entry.prefix)
        scratch.setWord(index &<< 1 &+ 1, entry.name)
    }

    private func sortFew(_ base: Int, _ parser: borrowing JSONParser) {
        var i = base &+ 1
        while i < sorted {
            let moving = entry(i)
            var place = i
            while place > base, order(entry(place &- 1), moving, parser) > 0 {
                setEntry(place, entry(place &- 1))
                place &-= 1
            }
            setEntry(place, moving)
            i &+= 1
        }
    }

    private func sortMany(_ base: Int, _ parser: borrowing JSONParser) {
        var entries = (base..<sorted).map { entry($0) }
        entries.sort { order($0, $1, parser) < 0 }
        for (i, entry) in entries.enumerated() { setEntry(base + i, entry) }
    }

    /// Keeps only the last of equal names, which are now adjacent.
    private mutating func dropOverridden(_ base: Int, _ parser: borrowing JSONParser) {
        var kept = base
        var i = base
        while i < sorted {
            let next = entry(i)
            if kept > base {
                let last = entry(kept &- 1)
                if last.prefix == next.prefix,
                    parser.compareNames(tape.word(Int(last.name)), tape.word(Int(next.name))) == 0
                {
                    kept &-= 1
                }
            }
            setEntry(kept, next)
            kept &+= 1
            i &+= 1
        }
        sorted = kept
    }
}
