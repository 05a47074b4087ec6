internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite struct CollationNumberTests {
    /// Numbers in ascending order; those of one row are equal.
    static let ascending: [[String]] = [
        ["-1.7976931348623157e308"], ["-1e300"], ["-18446744073709552000.0", "-1.8446744073709552e+19"],
        ["-9.223372036854777e18"], ["-9223372036854775808", "-9.223372036854775808e18"], ["-9223372036854775807"],
        ["-9007199254740993"], ["-9007199254740992", "-9007199254740992.0", "-9.007199254740992e15"],
        ["-9007199254740991"], ["-129"], ["-128"], ["-127"], ["-2"], ["-1.5"], ["-1", "-1.0", "-10e-1"],
        ["-0.9999999999999999"], ["-0.5"], ["-1e-300"], ["-2.2250738585072014e-308"], ["-5e-324"],
        ["0", "-0", "0.0", "-0.0", "0e0", "0e99999999999999999999", "1e-400", "-1e-99999999999999999999"],
        ["5e-324", "4.9406564584124654e-324"], ["1e-323"], ["2.2250738585072009e-308"], ["2.2250738585072014e-308"],
        ["1e-300"], ["0.1"], ["0.30000000000000004"], ["0.5", "5e-1", "0.05e1"], ["0.9999999999999999"],
        ["1", "1.0", "1e0", "10e-1", "0.1e1", "1E+00"], ["1.0000000000000002"], ["1.5"], ["2"], ["3"], ["10", "1e1"],
        ["127"], ["128"], ["129"], ["255"], ["256"], ["1982"], ["9007199254740991"],
        ["9007199254740992", "9007199254740992.0", "9.007199254740992e+15", "9007199254740993.0"],
        ["9007199254740993"], ["9007199254740994", "9.007199254740994e15"],
        ["9223372036854774784", "9.223372036854774784e18"],
        ["9223372036854775807"], ["9223372036854775808", "9.223372036854776e+18"], ["9223372036854775809"],
        ["18446744073709549568", "18446744073709549568.0"], ["18446744073709551614"], ["18446744073709551615"],
        ["18446744073709551616.0", "1.8446744073709552e+19", "18446744073709551616"], ["1.8446744073709556e19"],
        ["1e20", "100000000000000000000.0", "100000000000000000000", "100000000000000000001"],
        ["1e22"], ["1e23"], ["1e300"], ["1.7976931348623157e308"],
    ]

    @Test func areExactAcrossIntegersAndDoubles() throws {
        for collator in [Collator.unicode, .raw] {
            let rows = try Self.ascending.map { row in try row.map { try collator.key($0) } }
            for (index, row) in rows.enumerated() {
                #expect(Set(row).count == 1, "\(Self.ascending[index])")
                #expect(row.allSatisfy(isWellFormed))
                for later in rows.indices.dropFirst(index + 1) {
                    #expect(
                        compareBytes(row[0], rows[later][0]) < 0,
                        "\(Self.ascending[index][0]) before \(Self.ascending[later][0])"
                    )
                }
            }
        }
    }

    /// White space around a number, and a fraction of 0, make a text take the general way.
    @Test func shortWholeNumbersHaveTheKeysOfOthers() throws {
        var random = SystemRandomNumberGenerator()
        for digits in 1...19 {
            for _ in 0..<50 {
                let first = digits == 1 ? "\(Int.random(in: 0...9, using: &random))" : "\(Int.random(in: 1...9))"
                let number = first + (1..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
                let key = try Collator.unicode.key(number)
                #expect(try Collator.unicode.key(" " + number) == key, "\(number)")
                if digits <= 15 { #expect(try Collator.unicode.key(number + ".0") == key, "\(number)") }
            }
        }
        for malformed in ["", "00", "01", "0123", "1a", "12 3", "1-"] {
            #expect(throws: StorageError.self, "\(malformed)") { try Collator.unicode.key(malformed) }
        }
    }

    /// Golden bytes: they must never change without another version.
    @Test(arguments: [
        ("0", "50"), ("1", "52 00"), ("2", "53 00"), ("3", "53 80"), ("-1", "4e ff"), ("-3", "4d 7f"),
        ("1982", "5c ef c0"), ("0.5", "51 0431 00"), ("-0.5", "4f fbce ff"), ("5e-324", "51 0000 00"),
        ("2.2250738585072014e-308", "51 0034 00"),
        ("9007199254740991", "86 ffffffffffffff e0"), ("9007199254740992", "87 00"),
        ("9007199254740993", "87 0101010101010110"),
        ("9223372036854775807", "90 ffffffffffffffff fc"), ("9223372036854775808", "91 00"),
        ("-9223372036854775808", "0f ff"), ("18446744073709551615", "91 ffffffffffffffff fe"),
        ("18446744073709551616.0", "92 0040 00"), ("-18446744073709551616.0", "0e ffbf ff"),
        ("1.7976931348623157e308", "92 03ff ffffffffffffff e0"),
        ("0.1", "51 042e 99 cd 67 33 99 cd 67 40"),
    ])
    func haveGoldenBytes(json: String, bytes: String) throws {
        for collator in [Collator.unicode, .raw] {
            #expect(try HexText(collator.key(json)) == HexText(stringLiteral: bytes))
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func randomOnesAreOrderedByTheirValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let numbers = (0..<150).map { _ in Number.random(&random) }
        let keys = try numbers.map { try Collator.unicode.key($0.json) }
        for (x, a) in numbers.enumerated() {
            for (y, b) in numbers.enumerated() {
                #expect(compareBytes(keys[x], keys[y]).signum() == a.order(to: b), "seed \(seed): \(a), \(b)")
            }
        }
    }

    @Test(arguments: [
        "1e309", "-1e309", "1e99999999999999999999", "1\(String(repeating: "0", count: 309))", "01", "-01", "00", "1.",
        ".5", "-", "-.5", "1e", "1e+", "1.e1", "+1", "0x1", "1_0",
        "NaN", "Infinity", "-Infinity", "1 2", "--1", "1-",
    ])
    func outOfRangeOrMalformedAreRefused(json: String) {
        for collator in [Collator.unicode, .raw] {
            #expect {
                try collator.key(json)
            } throws: { error in
                (error as? StorageError)?.code == .badJSON
            }
        }
    }
}

/// A number with a naive exact comparison.
private enum Number: CustomStringConvertible {
    case integer(Int128)
    case double(Double)

    var json: String {
        switch self {
        case .integer(let value): "\(value)"
        // With an exponent, so that it is not read as an integer.
        case .double(let value): "\(value)".contains { "e.".contains($0) } ? "\(value)" : "\(value)e0"
        }
    }

    var description: String { json }

    func order(to other: Number) -> Int {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : (a == b ? 0 : 1)
        case (.double(let a), .double(let b)): a < b ? -1 : (a == b ? 0 : 1)
        case (.double, .integer): -other.order(to: self)
        case (.integer(let a), .double(let b)):
            if b >= 0x1p65 {
                -1
            } else if b <= -0x1p65 {
                1
            } else {
                if a != Int128(b.rounded(.down)) {
                    a < Int128(b.rounded(.down)) ? -1 : 1
                } else {
                    b == b.rounded(.down) ? 0 : -1
                }
            }
        }
    }

    static func random(_ random: inout SeededGenerator) -> Number {
        let word = random.next()
        switch random.below(7) {
        case 0: return .integer(Int128(word >> UInt64(random.below(64))))
        case 1: return .integer(Int128(Int64(bitPattern: word) >> Int64(random.below(64))))
        case 2:
            let double = Double(bitPattern: word)
            return .double(double.isFinite ? double : 0)
        case 3: return .double(Double(word) * (random.chance(1, in: 2) ? -1 : 1))
        case 4: return .double(Double(Int64(bitPattern: word) >> Int64(random.below(64))))
        case 5: return .double(Double(bitPattern: word & 0x800F_FFFF_FFFF_FFFF))
        default:
            let power = Int128(1) << Int128(random.below(64))
            return random.chance(1, in: 2)
                ? .integer(power - Int128(random.below(2))) : .double(Double(power).nextDown)
        }
    }
}
