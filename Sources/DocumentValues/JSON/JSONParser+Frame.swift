extension JSONParser {
    /// A container that is being read. Kept on the parser's own stack, so that nesting uses no thread stack.
    struct Frame {
        static let size = 32

        /// The container's first word on the tape.
        var head = 0
        /// The flags collected so far: `JSONTape.notCanonical`, `JSONTape.special`.
        var flags: UInt64 = 0
        var count = 0
        /// The first eight bytes of the last name.
        var prefix: UInt64 = 0
        /// The last name's word on the tape.
        var name = 0
        var isObject = false

        @inline(__always)
        func save(_ view: RawView, _ depth: Int) {
            view.setWord(depth &* 4, UInt64(truncatingIfNeeded: head) &<< 32 | UInt64(truncatingIfNeeded: count))
            view.setWord(depth &* 4 &+ 1, flags)
            view.setWord(depth &* 4 &+ 2, prefix)
            view.setWord(
                depth &* 4 &+ 3,
                UInt64(truncatingIfNeeded: name) &<< 1 | (isObject ? 1 : 0)
            )
        }

        @inline(__always)
        mutating func restore(_ view: RawView, _ depth: Int) {
            let first = view.word(depth &* 4)
            head = Int(first &>> 32)
            count = Int(first & 0xFFFF_FFFF)
            flags = view.word(depth &* 4 &+ 1)
            prefix = view.word(depth &* 4 &+ 2)
            let last = view.word(depth &* 4 &+ 3)
            name = Int(last &>> 1)
            isObject = last & 1 == 1
        }
    }
}
