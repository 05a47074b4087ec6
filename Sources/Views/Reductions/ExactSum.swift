internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A sum of numbers that does not depend on their order: integers are added exactly, and other doubles are not rounded
/// until the value is read.
struct ExactSum: Sendable {
    /// The sum of the integers. 128 bits are enough for as many 64-bit integers as there can be rows.
    private(set) var integers: Int128 = 0
    /// The sum of the doubles other than integers below 2^53, as doubles that do not overlap, in ascending order, whose
    /// exact sum it is (Shewchuk's expansion).
    private(set) var doubles: [Double] = []
    /// Whether such doubles were added.
    private(set) var isFractional = false
    /// Whether a sum overflowed.
    private(set) var isOverflown = false

    init() {}

    /// Restores a stored sum. Nil: the doubles do not have the form described.
    init?(integers: Int128, doubles: [Double], isFractional: Bool, isOverflown: Bool) {
        guard doubles.allSatisfy(\.isFinite), doubles.isEmpty || isFractional else { return nil }
        self.integers = integers
        self.doubles = doubles
        self.isFractional = isFractional
        self.isOverflown = isOverflown
    }

    mutating func add(_ number: JSONValue) throws(StorageError) {
        switch number {
        case .int(let value): add(Int128(value))
        case .uint(let value): add(Int128(value))
        case .longInteger(let value): add(value.doubleValue)
        case .double(let value): add(value)
        default: throw .valueIsNoNumber
        }
    }

    mutating func add(_ value: Int128) {
        let (sum, overflow) = integers.addingReportingOverflow(value)
        if overflow {
            // Takes more than 2^63 rows, so it never happens.
            isOverflown = true
        } else {
            integers = sum
        }
    }

    mutating func add(_ value: Double) {
        if abs(value) < 0x1p53, value.rounded(.towardZero) == value { return add(Int128(value)) }
        isFractional = true
        append(value)
    }

    mutating func add(_ other: ExactSum) {
        add(other.integers)
        for value in other.doubles { append(value) }
        isFractional = isFractional || other.isFractional
        isOverflown = isOverflown || other.isOverflown
    }

    private mutating func append(_ value: Double) {
        var carried = value
        var kept = 0
        for index in doubles.indices {
            let (high, low) = ExactSum.sum(carried, doubles[index])
            if low != 0 {
                doubles[kept] = low
                kept += 1
            }
            carried = high
        }
        doubles.removeSubrange(kept...)
        guard carried.isFinite else {
            isOverflown = true
            doubles = []
            return
        }
        if carried != 0 { doubles.append(carried) }
    }

    /// Returns the rounded sum, and exactly what rounding lost.
    private static func sum(_ a: Double, _ b: Double) -> (high: Double, low: Double) {
        let (larger, smaller) = abs(a) < abs(b) ? (b, a) : (a, b)
        let high = larger + smaller
        return (high, smaller - (high - larger))
    }

    /// An integer if all numbers were integers and the sum is between Int64's minimum and UInt64's maximum; otherwise
    /// the nearest double.
    ///
    /// - Throws: `badRequest` (400) if the sum is beyond the range of doubles.
    var value: JSONValue {
        get throws(StorageError) {
            if isOverflown { throw .sumIsTooLarge }
            if !isFractional {
                if let value = Int64(exactly: integers) { return .int(value) }
                if let value = UInt64(exactly: integers) { return .uint(value) }
                return .double(Double(integers))
            }
            var all = self
            // A 128-bit integer is the exact sum of three doubles.
            var rest = integers
            while rest != 0 {
                let part = rest < 0 ? -ExactSum.leading(rest) : ExactSum.leading(rest)
                all.append(part)
                rest -= Int128(part)
            }
            guard !all.isOverflown, all.rounded.isFinite else { throw .sumIsTooLarge }
            return .double(all.rounded)
        }
    }

    /// Returns the highest 53 bits of the magnitude.
    private static func leading(_ value: Int128) -> Double {
        let magnitude = value.magnitude
        let shift = max(0, 128 - magnitude.leadingZeroBitCount - 53)
        return Double((magnitude >> shift) << shift)
    }

    /// The double nearest to the expansion's sum; of two equally near ones, the even one.
    private var rounded: Double {
        guard var high = doubles.last else { return 0 }
        var index = doubles.count - 1
        var low = 0.0
        while index > 0 {
            index -= 1
            (high, low) = ExactSum.sum(high, doubles[index])
            if low != 0 { break }
        }
        // The sum is half-way only judged by `low`: the doubles below it decide.
        if index > 0, low < 0 && doubles[index - 1] < 0 || low > 0 && doubles[max(0, index - 1)] > 0 {
            let further = high + 2 * low
            if further - high == 2 * low { high = further }
        }
        return high
    }
}
