/// Puts objects' names in canonical order. An entry of the sorting space is the number by which a name is sorted
/// (`JSONKeyOrder.prefix`) and the name's position on the tape.
struct JSONNameSorter {
    let tape: RawView
    let scratch: RawView

    /// Up to this number of entries, moving each to its place is faster than the standard library's sort.
    private static let few = 24

    /// Adds an object's names to the sorting space above `first` entries, in canonical order, of equal names only the
    /// last. Returns the number of entries in use.
    @inline(never)
    func gather(_ object: Int, _ parser: borrowing JSONParser, above first: Int, skippingReserved: Bool) -> Int {
        let extent = tape.word(object, plus: 1)
        let end = JSONTape.next(extent)
        // With many names, each stays where it is until all are there.
        let base = JSONTape.count(extent) <= JSONNameSorter.few ? first : Int.max
        var top = first
        var hasEqual = false
        var i = object &+ 2
        while i < end {
            let name = i
            let prefix = tape.word(i, plus: 1)
            let value = tape.word(i, plus: 2)
            i = JSONTape.isContainer(value) ? JSONTape.next(tape.word(i, plus: 3)) : i &+ 3
            if skippingReserved, parser.isLeftOut(tape.word(name)) { continue }
            var place = top
            while place > base {
                let last = scratch.word((place &- 1) &<< 1)
                if last < prefix { break }
                if last == prefix {
                    let order = compare(place &- 1, tape.word(name), parser)
                    hasEqual = hasEqual || order == 0
                    if order <= 0 { break }
                }
                scratch.repeatPair((place &- 1) &<< 1)
                place &-= 1
            }
            scratch.setWord(place &<< 1, prefix)
            scratch.setWord(place &<< 1, plus: 1, UInt64(truncatingIfNeeded: name))
            top &+= 1
        }
        if base == Int.max, JSONTape.isSpecial(tape.word(object)) {
            sortMany(first..<top, parser)
            hasEqual = true
        }
        return hasEqual ? dropOverridden(first..<top, parser) : top
    }

    /// Compares the name of an entry with another that is sorted by the same number.
    @inline(never)
    private func compare(_ index: Int, _ word: UInt64, _ parser: borrowing JSONParser) -> Int {
        parser.compareNames(tape.word(name(index)), word)
    }

    /// The tape position of the name of an entry.
    @inline(__always)
    func name(_ index: Int) -> Int { Int(truncatingIfNeeded: scratch.word(index &<< 1, plus: 1)) }

    @inline(__always)
    private func entry(_ index: Int) -> (prefix: UInt64, name: UInt64) {
        (scratch.word(index &<< 1), scratch.word(index &<< 1, plus: 1))
    }

    @inline(__always)
    private func setEntry(_ index: Int, _ entry: (prefix: UInt64, name: UInt64)) {
        scratch.setWord(index &<< 1, entry.prefix)
        scratch.setWord(index &<< 1, plus: 1, entry.name)
    }

    /// Sorts entries; equal names by their position.
    @inline(never)
    private func sortMany(_ range: Range<Int>, _ parser: borrowing JSONParser) {
        var entries = range.map { entry($0) }
        entries.sort { a, b in
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            let order = parser.compareNames(tape.word(Int(a.name)), tape.word(Int(b.name)))
            return order != 0 ? order < 0 : a.name < b.name
        }
        for (i, entry) in entries.enumerated() { setEntry(range.lowerBound + i, entry) }
    }

    /// Keeps only the last of equal names, which are now adjacent. Returns the end of what is left.
    @inline(never)
    private func dropOverridden(_ range: Range<Int>, _ parser: borrowing JSONParser) -> Int {
        var kept = range.lowerBound
        for i in range {
            let next = entry(i)
            if kept > range.lowerBound, entry(kept - 1).prefix == next.prefix,
                compare(kept - 1, tape.word(Int(next.name)), parser) == 0
            {
                kept -= 1
            }
            setEntry(kept, next)
            kept += 1
        }
        return kept
    }
}
