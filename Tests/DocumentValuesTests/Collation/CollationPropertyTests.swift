internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct CollationPropertyTests {
    /// The keys of random values are ordered like a naive comparison orders the values, and none is a prefix of
    /// another.
    @Test(arguments: 0..<6 as Range<UInt64>, [false, true])
    func keysAreOrderedAsValues(seed: UInt64, raw: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let collator = raw ? Collator.raw : .unicode
        let values = (0..<120).map { _ in SampleValue.random(&random, depth: 4) }
        let keys = try values.map { try collator.key($0.json) }
        for (x, a) in values.enumerated() {
            #expect(isWellFormed(keys[x]), "seed \(seed): \(a.json)")
            for (y, b) in values.enumerated() {
                let order = a.order(to: b, raw: raw)
                #expect(compareBytes(keys[x], keys[y]).signum() == order, "seed \(seed): \(a.json), \(b.json)")
                #expect(order == 0 || !keys[y].starts(with: keys[x]), "seed \(seed): \(a.json), \(b.json)")
            }
        }
    }

    /// Whatever the text is: an error, or a well-formed key.
    @Test(arguments: 0..<6 as Range<UInt64>)
    func mutatedTextNeverTraps(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            var json = Array(SampleValue.random(&random, depth: 4).json.utf8)
            for _ in 0...random.below(3) { mutate(&json, &random) }
            for collator in [Collator.unicode, .raw] {
                guard let key = try? collator.key(json) else { continue }
                #expect(isWellFormed(key), "seed \(seed): \(json)")
            }
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func damagedKeysAreToldWithoutTrapping(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let value = SampleValue.random(&random, depth: 4)
            let key = try Collator.unicode.key(value.json)
            #expect(!isWellFormed(key + [0]), "seed \(seed): \(value.json)")
            for length in key.indices { #expect(!isWellFormed(Array(key[..<length])), "seed \(seed): \(value.json)") }
            var damaged = key
            for _ in 0...random.below(3) { mutate(&damaged, &random) }
            _ = isWellFormed(damaged)
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        let marks = Array(#"[]{},:"\u0-+.e"#.utf8)
        switch random.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = marks[random.below(marks.count)]
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(marks[random.below(marks.count)], at: place)
        default: bytes.removeLast(random.below(bytes.count))
        }
    }
}

/// A JSON value with a naive comparison of its order.
private enum SampleValue {
    case null
    case bool(Bool)
    case number(Int)
    /// An index into `CollationOrderTests.strings`, which are in Unicode order.
    case string(Int)
    case array([SampleValue])
    case object([(name: Int, value: SampleValue)])

    static func random(_ random: inout SeededGenerator, depth: Int) -> SampleValue {
        let strings = CollationOrderTests.strings.count
        switch random.below(depth > 0 ? 8 : 4) {
        case 0: return .null
        case 1: return .bool(random.chance(1, in: 2))
        case 2: return .number(random.below(7) - 3)
        case 3: return .string(random.below(strings))
        case 4...5: return .array((0..<random.below(4)).map { _ in .random(&random, depth: depth - 1) })
        default:
            return .object(
                (0..<random.below(4)).map { _ in (random.below(strings), .random(&random, depth: depth - 1)) }
            )
        }
    }

    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let index): quoted(CollationOrderTests.strings[index])
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { "\(quoted(CollationOrderTests.strings[$0.name])):\($0.value.json)" }
                .joined(separator: ",") + "}"
        }
    }

    /// The rank of the type in the order.
    private func rank(raw: Bool) -> Int {
        switch self {
        case .null: raw ? 2 : 0
        case .bool(let value): value ? (raw ? 3 : 2) : 1
        case .number: raw ? 0 : 3
        case .string: raw ? 6 : 4
        case .array: 5
        case .object: raw ? 4 : 6
        }
    }

    func order(to other: SampleValue, raw: Bool) -> Int {
        switch (self, other) {
        case (.number(let a), .number(let b)): return (a - b).signum()
        case (.string(let a), .string(let b)): return Self.order(a, b, raw: raw)
        case (.array(let a), .array(let b)):
            for (x, y) in zip(a, b) {
                let order = x.order(to: y, raw: raw)
                if order != 0 { return order }
            }
            return (a.count - b.count).signum()
        case (.object(let a), .object(let b)):
            for (x, y) in zip(a, b) {
                let names = Self.order(x.name, y.name, raw: raw)
                if names != 0 { return names }
                let values = x.value.order(to: y.value, raw: raw)
                if values != 0 { return values }
            }
            return (a.count - b.count).signum()
        default: return (rank(raw: raw) - other.rank(raw: raw)).signum()
        }
    }

    private static func order(_ a: Int, _ b: Int, raw: Bool) -> Int {
        guard raw else { return (a - b).signum() }
        let texts = [a, b].map { Array(CollationOrderTests.strings[$0].utf8) }
        return compareBytes(texts[0], texts[1]).signum()
    }
}
