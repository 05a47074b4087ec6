/// Writes canonical text from a tape to the parser's output, with the parser's own stacks instead of recursion. The
/// output and the sorting space were made large enough when the text was read.
struct JSONTapeWriter {
    let text: RawView
    let tape: RawView
    private let stack: RawView
    let output: RawView
    let scratch: RawView
    /// The number of bytes written.
    var length = 0
    private var depth = 0
    private var frame = Frame()
    /// The number of entries of the sorting space in use.
    var sorted = 0

    private enum Layout: UInt64 {
        case array
        case ordered
        case sorted
    }

    /// A container that is being written, and the rest of its content, on the tape or (`sorted`) in the sorting space.
    private struct Frame {
        var layout = Layout.array
        var position = 0
        var end = 0
        /// The size of the sorting space when the container was opened.
        var base = 0
    }

    init(_ parser: borrowing JSONParser) {
        text = parser.text.view
        tape = parser.tape.view
        stack = parser.stack.view
        output = parser.output.view
        scratch = parser.scratch.view
    }

    mutating func write(_ index: Int, _ parser: borrowing JSONParser) {
        if begin(index, parser) { run(parser) }
    }

    mutating func writeBody(_ parser: borrowing JSONParser) {
        openSorted(0, parser, skippingReserved: true)
        run(parser)
    }

    /// Writes a value completely if it has no members to write one by one; else opens it and returns true.
    @inline(__always)
    private mutating func begin(_ index: Int, _ parser: borrowing JSONParser) -> Bool {
        let word = tape.word(index)
        if JSONTape.isCanonical(word) {
            copy(JSONTape.start(word), JSONTape.end(word))
            return false
        }
        switch JSONTape.kind(word) {
        case .array:
            open(Frame(layout: .array, position: index &+ 2, end: next(after: index)), UInt8(ascii: "["))
        case .object:
            if JSONTape.isSpecial(word) {
                openSorted(index, parser, skippingReserved: false)
            } else {
                open(Frame(layout: .ordered, position: index &+ 2, end: next(after: index)), UInt8(ascii: "{"))
            }
        case .string:
            writeString(word)
            return false
        default:
            length = JSONNumber.write(JSONNumber.double(text, JSONTape.range(word)), to: output, at: length)
            return false
        }
        return true
    }

    private mutating func run(_ parser: borrowing JSONParser) {
        while depth > 0 {
            guard frame.position < frame.end else {
                close()
                continue
            }
            var value = frame.position
            if frame.layout == .array {
                frame.position = next(after: value)
            } else {
                if frame.layout == .sorted {
                    value = Int(scratch.word(frame.position &<< 1 &+ 1))
                    frame.position &+= 1
                } else {
                    frame.position = next(after: value &+ 1)
                }
                if writeName(value) { continue }
                value &+= 1
            }
            if begin(value, parser) { continue }
            output[length] = UInt8(ascii: ",")
            length &+= 1
        }
        // The last comma comes after the top value.
        length &-= 1
    }

    /// Writes a name and its colon. If the value follows in canonical form, writes that too and returns true.
    @inline(__always)
    private mutating func writeName(_ index: Int) -> Bool {
        let name = tape.word(index)
        if JSONTape.isCanonical(name) {
            let value = tape.word(index &+ 1)
            if JSONTape.isCanonical(value), JSONTape.start(value) == JSONTape.end(name) &+ 1 {
                copy(JSONTape.start(name), JSONTape.end(value))
                output[length] = UInt8(ascii: ",")
                length &+= 1
                return true
            }
            copy(JSONTape.start(name), JSONTape.end(name))
        } else {
            writeString(name)
        }
        output[length] = UInt8(ascii: ":")
        length &+= 1
        return false
    }

    private mutating func openSorted(_ index: Int, _ parser: borrowing JSONParser, skippingReserved: Bool) {
        let base = sorted
        gather(index, parser, skippingReserved: skippingReserved)
        open(Frame(layout: .sorted, position: base, end: sorted, base: base), UInt8(ascii: "{"))
    }

    @inline(__always)
    private mutating func open(_ new: Frame, _ bracket: UInt8) {
        stack.setWord(depth &* 4, frame.layout.rawValue)
        stack.setWord(depth &* 4 &+ 1, UInt64(truncatingIfNeeded: frame.position))
        stack.setWord(depth &* 4 &+ 2, UInt64(truncatingIfNeeded: frame.end))
        stack.setWord(depth &* 4 &+ 3, UInt64(truncatingIfNeeded: frame.base))
        depth &+= 1
        frame = new
        output[length] = bracket
        length &+= 1
    }

    /// Ends a container. The bracket replaces the comma after its last value.
    @inline(__always)
    private mutating func close() {
        let bracket = frame.layout == .array ? UInt8(ascii: "]") : UInt8(ascii: "}")
        if output[length &- 1] == UInt8(ascii: ",") { length &-= 1 }
        output[length] = bracket
        output[length &+ 1] = UInt8(ascii: ",")
        length &+= 2
        if frame.layout == .sorted { sorted = frame.base }
        depth &-= 1
        frame.layout = Layout(rawValue: stack.word(depth &* 4)) ?? .array
        frame.position = Int(stack.word(depth &* 4 &+ 1))
        frame.end = Int(stack.word(depth &* 4 &+ 2))
        frame.base = Int(stack.word(depth &* 4 &+ 3))
    }
}
