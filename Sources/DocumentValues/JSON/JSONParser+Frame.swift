extension JSONParser {
    /// The container that is being read.
    ///
    /// Those around it stand on the tape, in the two words of the container that was opened in them, which are not
    /// needed before it ends: so nesting uses neither the thread's stack nor one of the parser's.
    struct Frame {
        private static let closingShift: UInt64 = 32

        /// The container's first word on the tape.
        var head = 0
        /// The flags collected so far: `JSONTape.notCanonical`, `JSONTape.special`.
        var flags: UInt64 = 0
        var count = 0
        /// The number by which the last name is sorted.
        var prefix: UInt64 = 0
        /// The last name's first word on the tape.
        var name = 0
        /// The bracket that ends it; zero outside of all containers.
        var closing: UInt8 = 0

        @inline(__always)
        var isObject: Bool { closing == UInt8(ascii: "}") }

        /// Opens a container whose text begins at `start`.
        @inline(__always)
        mutating func open(_ tape: RawView, at next: Int, from start: Int, closing inner: UInt8) {
            let state = flags | UInt64(closing) &<< Frame.closingShift
            tape.setWord(next, state | UInt64(truncatingIfNeeded: start))
            tape.setWord(next, plus: 1, JSONTape.extent(next: head, count: count))
            self = Frame(head: next, closing: inner)
        }

        /// Ends the container, whose text ends before `end` and whose values before `next` on the tape, and returns to
        /// the one around it.
        @inline(__always)
        mutating func close(_ tape: RawView, at next: Int, end: Int) {
            let outer = tape.word(head)
            let extent = tape.word(head, plus: 1)
            let word = JSONTape.word(isObject ? .object : .array, from: JSONTape.start(outer), to: end, flags: flags)
            tape.setWord(head, word)
            tape.setWord(head, plus: 1, JSONTape.extent(next: next, count: count))
            let inherited = flags & JSONTape.notCanonical
            closing = UInt8(truncatingIfNeeded: outer &>> Frame.closingShift)
            if isObject {
                // The value's name stands before it.
                name = head &- JSONTape.nameSize
                prefix = tape.word(name, plus: 1)
            }
            head = JSONTape.next(extent)
            count = JSONTape.count(extent)
            flags = outer & (JSONTape.notCanonical | JSONTape.special) | inherited
        }
    }
}
