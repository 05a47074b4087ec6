internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    /// Text and canonical text.
    static let texts: [(String, String)] = [
        ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("0.0", "0"), ("0e5", "0"), ("-0e-5", "0"), ("0.000", "0"),
        ("1.0", "1"), ("1e2", "100"), ("1E2", "100"), ("1e+2", "100"), ("-1.50", "-1.5"), ("10.0e-1", "1"),
        ("123456789012345", "123456789012345"), ("0.1", "0.1"), ("0.10", "0.1"), ("-0.25", "-0.25"),
        ("6876.22", "6876.22"), ("100.001", "100.001"), ("0.5", "0.5"), ("12345678901.5", "12345678901.5"),
        ("9007199254740991", "9007199254740991"), ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740993"), ("9007199254740991.0", "9007199254740991"),
        ("9007199254740992.0", "9.007199254740992e+15"), ("-9007199254740992.0", "-9.007199254740992e+15"),
        ("9007199254740993.0", "9.007199254740992e+15"), ("9007199254740994.0", "9.007199254740994e+15"),
        ("9e15", "9000000000000000"), ("9.1e15", "9.1e+15"),
        ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", "-9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
        ("10000000000000000000", "10000000000000000000"), ("9999999999999999999", "9999999999999999999"),
        ("9223372036854775808.0", "9.223372036854776e+18"), ("18446744073709551616.0", "1.8446744073709552e+19"),
        ("1e19", "1e+19"), ("1e20", "1e+20"), ("1e21", "1e+21"), ("123e20", "1.23e+22"), ("-1e20", "-1e+20"),
        ("0.000001", "0.000001"), ("0.0000001", "1e-7"), ("1e-6", "0.000001"), ("1e-7", "1e-7"),
        ("0.00000123", "0.00000123"), ("0.000000123", "1.23e-7"), ("-1.5e-9", "-1.5e-9"),
        ("5e-324", "5e-324"), ("4.9e-324", "5e-324"), ("2.4703282292062328e-324", "5e-324"), ("1e-400", "0"),
        ("-1e-400", "0"), ("2e-324", "0"), ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("2.225073858507201e-308", "2.225073858507201e-308"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.1e1", "1"), ("333333333.33333329", "333333333.3333333"), ("0.30000000000000004", "0.30000000000000004"),
        ("1.000000000000000055511151231257827", "1"), ("1.1000000000000001", "1.1"), ("4.50", "4.5"),
        ("2e-3", "0.002"), ("1E-27", "1e-27"), ("999999999999999.9", "999999999999999.9"),
        ("1234567890.12345", "1234567890.12345"), ("0.123456789012345", "0.123456789012345"),
    ]

    @Test("numbers have one text", arguments: texts)
    func golden(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
        #expect(try canonical(expected) == expected)
        #expect(try canonical("[\(text) ]") == "[\(expected)]")
        let value = try JSONValue(parsing: text)
        #expect(value.description == expected)
        #expect(try JSONValue(parsing: expected) == value)
        #expect(try JSONValue(parsing: expected).hashValue == value.hashValue)
    }

    static let long = [
        "9223372036854775808000", "18446744073709551616", "-9223372036854775809", "99999999999999999999",
        "-9999999999999999999", "20000000000000000000", "100000000000000000000", "-100000000000000000001",
        "1" + String(repeating: "0", count: 308), "17976931348623157" + String(repeating: "0", count: 292),
    ]

    @Test("an integer outside 64 bits keeps its digits", arguments: long)
    func longIntegers(text: String) throws {
        #expect(try canonical(" \(text) ") == text)
        #expect(try canonical("{\"b\":[\(text)], \"a\":\(text)}") == "{\"a\":\(text),\"b\":[\(text)]}")
        let value = try JSONValue(parsing: text)
        #expect(value.description == text)
        let made = JSONValue.longInteger(try #require(JSONLongInteger(text)))
        #expect(value == made)
        #expect(value.hashValue == made.hashValue)
        #expect(value.doubleValue == Double(text))
        #expect(value.intValue == nil)
        // As from 2^53 on, an integer and a double are two values.
        #expect(value != .double(try #require(Double(text))))
        #expect(try JSONValue(parsing: String(text.dropLast())) != value)
    }

    @Test("only what no other case holds is a long integer")
    func noLongIntegers() {
        let beyond = "17976931348623159" + String(repeating: "0", count: 292)
        for text in [
            "", "-", "0", "1", "-1", "9223372036854775808", "18446744073709551615", "-9223372036854775808",
            "+18446744073709551616", "018446744073709551616", "18446744073709551616.0", "18446744073709551616e1",
            " 18446744073709551616", "--9223372036854775809", "9223372036854775809x", beyond, beyond + "0",
        ] { #expect(JSONLongInteger(text) == nil, "\(text)") }
    }

    static let refused = [
        "1e400", "-1e400", "1e309", "1.7976931348623159e308", "1e99999999999999999999999", "123456789e301",
        "17976931348623159" + String(repeating: "0", count: 292), String(repeating: "9", count: 309),
        "-1" + String(repeating: "0", count: 309), String(repeating: "1", count: 100_000),
    ]

    @Test("numbers beyond the range are refused, never rounded", arguments: refused)
    func range(text: String) {
        #expect(code { _ = try JSONValue(parsing: text) } == .badJSON)
        #expect(code { _ = try JSONValue(parsing: "{\"a\":[\(text)]}") } == .badJSON)
    }

    @Test("numbers with very many digits are read correctly")
    func manyDigits() throws {
        let zeros = String(repeating: "0", count: 100_000)
        #expect(try canonical("0.\(zeros)1e100001") == "1")
        #expect(try canonical("1\(zeros).5e-100000") == "1")
        #expect(try canonical("1\(zeros)e-99999") == "10")
        #expect(try canonical("1.5\(zeros)1") == "1.5")
        #expect(code { _ = try canonical("1\(zeros).5") } == .badJSON)
        // Exactly between two doubles; the last digit decides.
        let tie = "9007199254740993." + zeros
        #expect(try canonical(tie) == "9.007199254740992e+15")
        #expect(try canonical(tie + "1") == "9.007199254740994e+15")
    }

    @Test("random doubles keep their value and their text")
    func randomDoubles() throws {
        let seed: UInt64 = 7
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(isStress ? 2_000_000 : 20_000) {
            let bits = random.next()
            let value = Double(bitPattern: bits)
            guard value.isFinite else { continue }
            let text = JSONValue.double(value).description
            let back = try JSONValue(parsing: text)
            #expect(back == .double(value), "seed \(seed), bits \(bits)")
            #expect(back.doubleValue == value, "seed \(seed), bits \(bits)")
            #expect(back.description == text, "seed \(seed), bits \(bits)")
        }
    }

    @Test("random decimals come out as the shortest text of their double")
    func randomDecimals() throws {
        let seed: UInt64 = 11
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(isStress ? 1_000_000 : 10_000) {
            let digits = Int.random(in: 1...18, using: &random)
            var text = Bool.random(using: &random) ? "-" : ""
            text += String(Int.random(in: 0..<1000, using: &random)) + "."
            for _ in 0..<digits { text += String(Int.random(in: 0...9, using: &random)) }
            let value = try #require(Double(text))
            #expect(try canonical(text) == JSONValue.double(value).description, "seed \(seed), \(text)")
            #expect(try JSONValue(parsing: text).doubleValue == value, "seed \(seed), \(text)")
            if value.magnitude >= 0.001, value != value.rounded() {
                #expect(try canonical(text) == value.description, "seed \(seed), \(text)")
            }
        }
    }

    @Test("integers and doubles are equal if their texts are")
    func equality() {
        #expect(JSONValue.int(1) == .double(1))
        #expect(JSONValue.uint(5) == .int(5))
        #expect(JSONValue.double(-0.0) == .int(0))
        #expect(JSONValue.double(-0.0) == .double(0))
        #expect(JSONValue.int(9_007_199_254_740_992) != .double(9_007_199_254_740_992))
        #expect(JSONValue.int(9_007_199_254_740_991) == .double(9_007_199_254_740_991))
        #expect(JSONValue.double(.nan) == .double(.nan))
        #expect(JSONValue.double(1.5) != .double(2.5))
        #expect(JSONValue.int(1) != .bool(true))
        #expect(Set<JSONValue>([1, 1.0, .uint(1)]).count == 1)
    }

    @Test("what is not a number has no text", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(value: Double) {
        #expect(code { _ = try JSONValue.array([.double(value)]).canonicalBytes() } == .badJSON)
    }
}
