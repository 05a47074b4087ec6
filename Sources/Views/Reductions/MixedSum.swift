internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A sum for `Reduce.sum`: of numbers, of arrays of numbers element by element, of objects member by member. It does
/// not depend on the order of what is added.
///
/// Facts: CouchDB 3, `sum_values` in src/couch/src/couch_query_servers.erl. Where there are arrays, too, a number is
/// added to the first element. An object goes with objects only. CouchDB does not look at members and elements that
/// only one value has; here these must be numbers, too.
struct MixedSum: Sendable {
    /// So many elements and members a sum may have. Values that are not meant to be added up have new ones in each row.
    static let mostParts = 1 << 16

    private var part = SumPart()
    private var room = MixedSum.mostParts

    init() {}

    mutating func add(_ value: JSONValue) throws(StorageError) { try part.add(value, &room) }
    mutating func add(_ other: MixedSum) throws(StorageError) { try part.add(other.part, &room) }

    /// - Throws: `badRequest` (400) if a sum is beyond the range of doubles.
    var value: JSONValue {
        // CouchDB begins with the number 0: the sum of empty arrays is [0].
        get throws(StorageError) { try part.value(isWhole: true) }
    }

    func write(to writer: inout SummaryWriter) { part.write(to: &writer) }

    /// Nil: the bytes do not have this form.
    init?(_ bytes: RawSpan, _ offset: inout Int) {
        guard let part = SumPart(bytes, &offset, depth: JSONLimits.depth, &room) else { return nil }
        self.part = part
    }
}

/// A sum, or the sum of one member.
private struct SumPart: Sendable {
    private enum Form {
        // Lower ones are the bits of a sum of numbers.
        static let elements: UInt8 = 8
        static let members: UInt8 = 9
    }

    private var numbers = ExactSum()
    private var hasNumbers = false
    private var elements: [ExactSum]?
    /// By name in UTF-8: equal strings may have different bytes.
    private var members: [[UInt8]: SumPart]?

    init() {}

    mutating func add(number: JSONValue) throws(StorageError) {
        guard members == nil else { throw .valueDoesNotAddUp }
        try numbers.add(number)
        hasNumbers = true
    }

    mutating func add(_ value: JSONValue, _ room: inout Int) throws(StorageError) {
        switch value {
        case .array(let values):
            try makeElements(values.count, &room)
            for (place, number) in values.enumerated() { try elements?[place].add(number) }
        case .object(let object):
            try makeMembers()
            for (name, value) in object {
                let name = Array(name.utf8)
                try makeMember(name, &room)
                try members?[name]?.add(value, &room)
            }
        default: try add(number: value)
        }
    }

    mutating func add(_ other: SumPart, _ room: inout Int) throws(StorageError) {
        if other.hasNumbers {
            guard members == nil else { throw .valueDoesNotAddUp }
            numbers.add(other.numbers)
            hasNumbers = true
        }
        if let sums = other.elements {
            try makeElements(sums.count, &room)
            for (place, sum) in sums.enumerated() { elements?[place].add(sum) }
        }
        if let sums = other.members {
            try makeMembers()
            for (name, sum) in sums {
                try makeMember(name, &room)
                try members?[name]?.add(sum, &room)
            }
        }
    }

    private mutating func makeElements(_ count: Int, _ room: inout Int) throws(StorageError) {
        guard members == nil else { throw .valueDoesNotAddUp }
        let missing = max(0, count - (elements?.count ?? 0))
        guard missing <= room else { throw .sumHasTooManyParts }
        room -= missing
        if elements == nil { elements = [] }
        elements?.append(contentsOf: repeatElement(ExactSum(), count: missing))
    }

    private mutating func makeMembers() throws(StorageError) {
        guard !hasNumbers, elements == nil else { throw .valueDoesNotAddUp }
        if members == nil { members = [:] }
    }

    private mutating func makeMember(_ name: [UInt8], _ room: inout Int) throws(StorageError) {
        guard members?[name] == nil else { return }
        guard room > 0 else { throw .sumHasTooManyParts }
        room -= 1
        members?[name] = SumPart()
    }

    /// The elements, with the numbers in the first one. Nil: there are only numbers.
    private func allElements(isWhole: Bool) -> [ExactSum]? {
        guard var elements else { return nil }
        if hasNumbers || isWhole {
            if elements.isEmpty { elements.append(ExactSum()) }
            elements[0].add(numbers)
        }
        return elements
    }

    func value(isWhole: Bool) throws(StorageError) -> JSONValue {
        if let members {
            var object = JSONObject()
            for (name, sum) in members { object[String(decoding: name, as: UTF8.self)] = try sum.value(isWhole: false) }
            return .object(object)
        }
        guard let elements = allElements(isWhole: isWhole) else { return try numbers.value }
        var values: [JSONValue] = []
        for sum in elements { values.append(try sum.value) }
        return .array(values)
    }

    func write(to writer: inout SummaryWriter) {
        if let members {
            writer.bytes.append(Form.members)
            writer.append(UInt64(members.count))
            for (name, sum) in members.sorted(by: { compareBytes($0.key, $1.key) < 0 }) {
                writer.append(UInt64(name.count))
                writer.bytes += name
                sum.write(to: &writer)
            }
        } else if let elements = allElements(isWhole: false) {
            writer.bytes.append(Form.elements)
            writer.append(UInt64(elements.count))
            for sum in elements { writer.append(sum) }
        } else {
            writer.append(numbers)
        }
    }

    /// - Parameter depth: how deep objects may be.
    init?(_ bytes: RawSpan, _ offset: inout Int, depth: Int, _ room: inout Int) {
        var next = offset
        switch SummaryReader.byte(bytes, &next) {
        case Form.elements:
            guard let count = SummaryReader.length(bytes, &next), count <= room else { return nil }
            room -= count
            var sums: [ExactSum] = []
            for _ in 0..<count {
                guard let sum = SummaryReader.sum(bytes, &next) else { return nil }
                sums.append(sum)
            }
            elements = sums
            offset = next
        case Form.members:
            guard depth > 0, let count = SummaryReader.length(bytes, &next), count <= room else { return nil }
            room -= count
            var sums: [[UInt8]: SumPart] = [:]
            for _ in 0..<count {
                guard let length = SummaryReader.length(bytes, &next) else { return nil }
                let name = unsafe bytes.extracting(next..<(next + length)).withUnsafeBytes { unsafe Array($0) }
                next += length
                guard let sum = SumPart(bytes, &next, depth: depth - 1, &room) else { return nil }
                sums[name] = sum
            }
            members = sums
            offset = next
        default:
            guard let sum = SummaryReader.sum(bytes, &offset) else { return nil }
            numbers = sum
            hasNumbers = true
        }
    }
}
