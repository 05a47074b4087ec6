import Foundation
import Settee
import StorageConformance
import Testing

/// The public forms of dates, bytes and decimal numbers.
@Suite struct ValueHelperTests {
    @Test func base64() {
        let data = Data([0, 1, 254, 255])
        #expect(JSONValue(base64: data) == "AAH+/w==")
        #expect(JSONValue(base64: data).dataValue == data)
        #expect(JSONValue("AAH+\n/w==").dataValue == data)
        #expect(JSONValue("not base64").dataValue == nil)
        #expect(JSONValue(1).dataValue == nil)
    }

    @Test(arguments: [
        "0", "1", "-1.5", "19.9", "12345678901234567890123456789012345678", "0.00000000000000000000000001",
        "123456789012345678901234567890123456789", "340282366920938463463374607431768211455",
        "-34028236692093846346.3374607431768211455",
    ])
    func decimalsComeBack(_ text: String) throws {
        let value = try #require(JSONValue(text).decimalValue)
        #expect(JSONValue(decimal: value) == JSONValue(text))
    }

    /// The largest has 39 digits, and used to be writable but not readable.
    @Test func everyDecimalComesBack() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var decimals: [Decimal] = [.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .pi, 0]
        for _ in 0..<2000 {
            var decimal = Decimal(UInt64.random(in: .min ... .max, using: &generator))
            if Bool.random(using: &generator) {
                decimal = decimal * Decimal(sign: .plus, exponent: 19, significand: 1)
                decimal += Decimal(UInt64.random(in: .min ... .max, using: &generator))
            }
            let exponent = Int.random(in: -100...80, using: &generator)
            let sign = Bool.random(using: &generator) ? FloatingPointSign.plus : .minus
            decimals.append(Decimal(sign: sign, exponent: exponent, significand: decimal))
        }
        for decimal in decimals where decimal.isFinite {
            let json = try JSONValueEncoder().encode(decimal)
            #expect(try JSONValueDecoder().decode(Decimal.self, from: json) == decimal, "seed \(seed), \(decimal)")
        }
    }

    @Test func allBytesComeBack() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for count in 0..<600 {
            let data = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            let json = try JSONValueEncoder().encode(data)
            #expect(try JSONValueDecoder().decode(Data.self, from: json) == data, "seed \(seed), \(count)")
        }
    }

    @Test func decimalsOfNumbers() throws {
        #expect(JSONValue.int(.min).decimalValue == Decimal(Int64.min))
        #expect(JSONValue.uint(.max).decimalValue == Decimal(UInt64.max))
        #expect(JSONValue.double(0.1).decimalValue == Decimal(string: "0.1"))
        #expect(JSONValue.double(1e20).decimalValue == Decimal(string: "100000000000000000000"))
        let long = Int128(UInt64.max) + 1
        #expect(long.jsonValue.decimalValue == Decimal(string: "18446744073709551616"))
        #expect(JSONValue("1e3").decimalValue == 1000)
        #expect(JSONValue("+007.50").decimalValue == Decimal(string: "7.5"))
    }

    @Test(arguments: [
        "", ".", "-", "e5", "1,5", "12abc", "NaN", "1e", "0x10", "1e400", "1e-400", " 1",
        "340282366920938463463374607431768211456", "1234567890123456789012345678901234567890.1", "０",
    ])
    func noDecimals(_ text: String) { #expect(JSONValue(text).decimalValue == nil) }

    @Test func notANumberHasNoForm() {
        #expect(JSONValue(decimal: .nan).isNull)
        #expect(JSONValue.double(.nan).decimalValue == nil)
        #expect(JSONValue.bool(true).decimalValue == nil)
    }

    @Test func namesAreToldApartByTheirBytes() {
        let names: PropertyNames = ["b", "a", "\u{E9}", "e\u{301}", "a"]
        #expect(names.count == 4)
        #expect(names.contains("\u{E9}") && names.contains("e\u{301}") && !names.contains("e"))
        #expect(Array(names).prefix(2) == ["a", "b"])
        #expect(PropertyNames().isEmpty)
    }
}
