internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The statistics of some numbers, for `Reduce.stats`. Their count is the number of rows.
struct ReducedStatistics: Sendable {
    var sum = ExactSum()
    /// The sum of the squares.
    var squares = ExactSum()
    /// Nil: there were no numbers.
    var least: JSONValue?
    var greatest: JSONValue?

    mutating func add(_ value: JSONValue) throws(StorageError) {
        var number = value
        // Outside of 64 bits a number counts as a double, here and in stored parts.
        if case .longInteger(let long) = value { number = .double(long.doubleValue) }
        try sum.add(number)
        addSquare(of: number)
        take(least: number, greatest: number)
    }

    mutating func add(_ other: ReducedStatistics) {
        sum.add(other.sum)
        squares.add(other.squares)
        if let least = other.least, let greatest = other.greatest { take(least: least, greatest: greatest) }
    }

    private mutating func take(least other: JSONValue, greatest otherGreatest: JSONValue) {
        least = least.map { ReducedStatistics.isLess(other, $0) ? other : $0 } ?? other
        greatest = greatest.map { ReducedStatistics.isLess($0, otherGreatest) ? otherGreatest : $0 } ?? otherGreatest
    }

    /// The sum is exact if it can be for any number of rows: for integers up to 2^32.
    private mutating func addSquare(of number: JSONValue) {
        if case .int(let value) = number, value.magnitude <= 1 << 32 {
            squares.add(Int128(value) * Int128(value))
        } else if let value = number.doubleValue {
            squares.add(value * value)
        }
    }

    /// Returns the object that a query returns.
    ///
    /// - Throws: `badRequest` (400) if a sum is beyond the range of doubles.
    func value(count: UInt64) throws(StorageError) -> JSONValue {
        .object(
            JSONObject([
                ("sum", try sum.value), ("count", JSONValue(count)), ("min", JSONValue(least)),
                ("max", JSONValue(greatest)),
                ("sumsqr", try squares.value),
            ])
        )
    }

    /// Compares by exact value. Equal numbers in different forms are ordered, too, so that the least one does not
    /// depend on the order of the rows.
    static func isLess(_ a: JSONValue, _ b: JSONValue) -> Bool {
        let (x, y) = (parts(a), parts(b))
        if x.whole != y.whole { return x.whole < y.whole }
        if x.rest != y.rest { return x.rest < y.rest }
        return x.isDouble && !y.isDouble
    }

    /// Returns a number as an integer and the remainder. From 2^70 on, the remainder is the whole number, and the
    /// integer is the lowest or highest one.
    private static func parts(_ number: JSONValue) -> (whole: Int128, rest: Double, isDouble: Bool) {
        switch number {
        case .int(let value): return (Int128(value), 0, false)
        case .uint(let value): return (Int128(value), 0, false)
        case .double(let value):
            guard abs(value) < 0x1p70 else { return (value < 0 ? .min : .max, value, true) }
            let whole = value.rounded(.down)
            return (Int128(whole), value - whole, true)
        default: return (0, 0, false)
        }
    }
}
