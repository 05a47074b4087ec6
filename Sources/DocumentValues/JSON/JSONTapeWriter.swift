/// Writes canonical text from a tape to the parser's output, with a stack in the sorting space instead of recursion.
/// Both blocks were made large enough when the text was read.
///
/// Its functions take how much of the blocks is in use, and return it anew: so these numbers stay in registers.
struct JSONTapeWriter {
    let text: RawView
    let tape: RawView
    let output: RawView
    private let scratch: RawView
    private let sorter: JSONNameSorter

    /// A container that is being written, and the rest of its content.
    private struct Frame {
        /// Where the next value or name is found on the tape; of a sorted object, its entry.
        var position: Int
        var end: Int
        var isObject: Bool
        var isSorted = false
        /// The number of entries in use before it was opened.
        var base: Int
    }

    init(_ parser: borrowing JSONParser) {
        text = parser.text.view
        tape = parser.tape.view
        output = parser.output.view
        scratch = parser.scratch.view
        sorter = JSONNameSorter(tape: tape, scratch: scratch)
    }

    /// Writes the value at `index` and returns the number of bytes.
    func write(_ index: Int, _ parser: borrowing JSONParser) -> Int {
        let word = tape.word(index)
        guard JSONTape.isContainer(word), !JSONTape.isCanonical(word) else { return writeScalar(word, at: 0) }
        return write(index, parser, skippingReserved: false)
    }

    /// Writes the object at the top without its reserved members, and returns the number of bytes.
    func writeBody(_ parser: borrowing JSONParser) -> Int { write(0, parser, skippingReserved: true) }

    /// Writes a value that is canonical or no container.
    @inline(__always)
    private func writeScalar(_ word: UInt64, at length: Int) -> Int {
        if JSONTape.isCanonical(word) { return copy(JSONTape.start(word), JSONTape.end(word), at: length) }
        return writeAnew(word, at: length)
    }

    /// Writes a string or a number whose text is not canonical.
    @inline(never)
    private func writeAnew(_ word: UInt64, at length: Int) -> Int {
        if JSONTape.kind(word) == .string { return writeString(word, at: length) }
        return JSONNumber.write(JSONNumber.double(text, JSONTape.range(word)), to: output, at: length)
    }

    /// Writes a container; `skippingReserved` is for the outermost.
    private func write(_ outermost: Int, _ parser: borrowing JSONParser, skippingReserved: Bool) -> Int {
        var length = 0
        var used = 0
        var depth = 0
        var frame = Frame(position: 0, end: 0, isObject: false, base: 0)
        var opened = outermost
        while true {
            let isSkipping = skippingReserved && depth == 0
            frame = open(opened, isSkipping, &used, parser)
            depth &+= 1
            output[length] = frame.isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")
            length &+= 1
            while true {
                guard let container = writeUpToContainer(&frame, &length) else {
                    // The bracket replaces the comma after the last value.
                    if output[length &- 1] == UInt8(ascii: ",") { length &-= 1 }
                    output[length] = frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                    length &+= 1
                    depth &-= 1
                    if depth == 0 { return length }
                    output[length] = UInt8(ascii: ",")
                    length &+= 1
                    used = frame.base &- 1
                    frame = kept(used)
                    continue
                }
                keep(frame, used)
                used &+= 1
                opened = container
                break
            }
        }
    }

    /// Begins a container: where its content is found. Of an object that must be sorted, adds the entries.
    @inline(__always)
    private func open(
        _ index: Int,
        _ skippingReserved: Bool,
        _ used: inout Int,
        _ parser: borrowing JSONParser
    ) -> Frame {
        let word = tape.word(index)
        let base = used
        if skippingReserved || JSONTape.isSpecial(word) {
            used = sorter.gather(index, parser, above: base, skippingReserved: skippingReserved)
            return Frame(position: base, end: used, isObject: true, isSorted: true, base: base)
        }
        let end = JSONTape.next(tape.word(index, plus: 1))
        return Frame(position: index &+ 2, end: end, isObject: JSONTape.kind(word) == .object, base: base)
    }

    /// Writes the content of a container up to a container that cannot be copied, whose position it returns; nil at the
    /// end. A comma follows every value.
    @inline(__always)
    private func writeUpToContainer(_ frame: inout Frame, _ length: inout Int) -> Int? {
        while frame.position < frame.end {
            var value = frame.position
            if frame.isSorted {
                value = sorter.name(value)
                frame.position &+= 1
            } else {
                frame.position = next(after: frame.isObject ? value &+ JSONTape.nameSize : value)
            }
            if frame.isObject {
                let name = tape.word(value)
                let word = tape.word(value, plus: JSONTape.nameSize)
                if (name | word) & (JSONTape.notCanonical | JSONTape.apart) == 0 {
                    length = copy(JSONTape.start(name), JSONTape.end(word), at: length)
                    output[length] = UInt8(ascii: ",")
                    length &+= 1
                    continue
                }
                length = writeScalar(name, at: length)
                output[length] = UInt8(ascii: ":")
                length &+= 1
                value &+= JSONTape.nameSize
            }
            let word = tape.word(value)
            if JSONTape.isContainer(word), !JSONTape.isCanonical(word) { return value }
            length = writeScalar(word, at: length)
            output[length] = UInt8(ascii: ",")
            length &+= 1
        }
        return nil
    }

    /// Keeps a container while one in it is written, in entry `index`.
    @inline(__always)
    private func keep(_ frame: Frame, _ index: Int) {
        let layout: UInt64 = (frame.isObject ? 1 : 0) | (frame.isSorted ? 2 : 0)
        scratch.setWord(index &<< 1, JSONTape.extent(next: frame.position, count: frame.end))
        scratch.setWord(index &<< 1, plus: 1, UInt64(truncatingIfNeeded: frame.base) &<< 2 | layout)
    }

    @inline(__always)
    private func kept(_ index: Int) -> Frame {
        let extent = scratch.word(index &<< 1)
        let layout = scratch.word(index &<< 1, plus: 1)
        return Frame(
            position: JSONTape.next(extent),
            end: JSONTape.count(extent),
            isObject: layout & 1 != 0,
            isSorted: layout & 2 != 0,
            base: Int(layout &>> 2)
        )
    }
}
