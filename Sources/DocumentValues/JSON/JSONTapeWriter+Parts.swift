extension JSONTapeWriter {
    /// Copies source text unchanged. Returns the offset after it, as all these do.
    @inline(__always)
    func copy(_ start: Int, _ end: Int, at length: Int) -> Int {
        output.copy(text, from: start, count: end &- start, to: length)
        return length &+ end &- start
    }

    /// Returns the tape position after the value at `index`.
    @inline(__always)
    func next(after index: Int) -> Int {
        JSONTape.isContainer(tape.word(index)) ? JSONTape.next(tape.word(index, plus: 1)) : index &+ 1
    }

    /// Writes a string whose escapes are not all canonical.
    func writeString(_ word: UInt64, at place: Int) -> Int {
        let end = JSONTape.end(word)
        var i = JSONTape.start(word)
        var length = place
        while i < end {
            var stop = i
            while stop < end, text[stop] != UInt8(ascii: "\\") { stop &+= 1 }
            length = copy(i, stop, at: length)
            i = stop
            if i < end {
                let escape = JSONEscape(text, at: i)
                length = escape.write(to: output, at: length)
                i = escape.end
            }
        }
        return length
    }
}
