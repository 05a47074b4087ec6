internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What `Reduce.stats` adds up: numbers, or arrays of equal length, whose elements have statistics of their own.
///
/// Facts: CouchDB 3, `stat_values` in src/couch/src/couch_query_servers.erl. It also takes objects with statistics that
/// were made elsewhere; those are refused here.
struct MixedStatistics: Sendable {
    /// Lower ones are the bits of a sum.
    private static let elementsForm: UInt8 = 8

    private var numbers = ReducedStatistics()
    private var elements: [MixedStatistics]?

    init() {}

    mutating func add(_ value: JSONValue) throws(StorageError) {
        guard case .array(let values) = value else {
            guard elements == nil else { throw .valueDoesNotAddUp }
            return try numbers.add(value)
        }
        try makeElements(values.count)
        for (place, value) in values.enumerated() { try elements?[place].add(value) }
    }

    mutating func add(_ other: MixedStatistics) throws(StorageError) {
        guard let others = other.elements else {
            guard elements == nil || other.numbers.least == nil else { throw .valueDoesNotAddUp }
            return numbers.add(other.numbers)
        }
        try makeElements(others.count)
        for (place, other) in others.enumerated() { try elements?[place].add(other) }
    }

    private mutating func makeElements(_ count: Int) throws(StorageError) {
        guard numbers.least == nil, elements == nil || elements?.count == count else { throw .valueDoesNotAddUp }
        if elements == nil { elements = Array(repeating: MixedStatistics(), count: count) }
    }

    /// - Parameter count: how many values were added.
    /// - Throws: `badRequest` (400) if a sum is beyond the range of doubles.
    func value(count: UInt64) throws(StorageError) -> JSONValue {
        guard let elements else { return try numbers.value(count: count) }
        var values: [JSONValue] = []
        for element in elements { values.append(try element.value(count: count)) }
        return .array(values)
    }

    func write(to writer: inout SummaryWriter) {
        guard let elements else {
            writer.append(numbers.sum)
            writer.append(numbers.squares)
            if let least = numbers.least, let greatest = numbers.greatest {
                writer.append(value: least)
                writer.append(value: greatest)
            }
            return
        }
        writer.bytes.append(MixedStatistics.elementsForm)
        writer.append(UInt64(elements.count))
        for element in elements { element.write(to: &writer) }
    }

    /// Nil: the bytes do not have this form.
    ///
    /// - Parameter depth: how deep arrays may be.
    init?(_ bytes: RawSpan, _ offset: inout Int, depth: Int = JSONLimits.depth) {
        var next = offset
        guard SummaryReader.byte(bytes, &next) == MixedStatistics.elementsForm else {
            guard let sum = SummaryReader.sum(bytes, &offset), let squares = SummaryReader.sum(bytes, &offset),
                let least = SummaryReader.value(bytes, &offset), let greatest = SummaryReader.value(bytes, &offset)
            else { return nil }
            numbers.sum = sum
            numbers.squares = squares
            numbers.least = least
            numbers.greatest = greatest
            return
        }
        guard depth > 0, let count = SummaryReader.length(bytes, &next) else { return nil }
        var parts: [MixedStatistics] = []
        for _ in 0..<count {
            guard let part = MixedStatistics(bytes, &next, depth: depth - 1) else { return nil }
            parts.append(part)
        }
        elements = parts
        offset = next
    }
}
