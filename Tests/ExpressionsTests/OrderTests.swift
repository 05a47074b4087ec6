import SetteeDocumentValues
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeExpressions

/// The short ways of comparing give the same result as collation keys.
@Suite struct OrderTests {
    private func sign(_ order: Int) -> Int { order.signum() }

    private func expectKeyOrder(_ a: JSONValue, _ b: JSONValue, isRaw: Bool) throws {
        var workspace = Workspace()
        let operand = try Operand(b, .mango(raw: isRaw))
        let text = try a.canonicalBytes()
        var key: [UInt8] = []
        try Operand.collator(isRaw).encode(text.span.bytes, into: &key)
        let expected = sign(compareBytes(key, operand.key))
        #expect(try sign(operand.order(of: text.span.bytes, &workspace)) == expected, "\(a) \(b) raw \(isRaw)")
        #expect(try operand.equals(text.span.bytes, &workspace) == (expected == 0), "\(a) \(b) raw \(isRaw)")
    }

    @Test func printableCharactersDiffer() throws {
        let characters = (0x20..<0x7F).map { JSONValue.string(String(Unicode.Scalar(UInt8($0)))) }
        for a in characters {
            for b in characters { try expectKeyOrder(a, b, isRaw: false) }
        }
    }

    @Test(arguments: [11, 12, 13, 14] as [UInt64])
    func randomValues(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("aAbB09 -_.~\u{7F}\u{1}\n\"\\ée\u{301}ßÿ😀\u{E000}")
        func value(_ depth: Int) -> JSONValue {
            switch generator.below(depth > 0 ? 9 : 7) {
            case 0: return [JSONValue.null, true, false][generator.below(3)]
            case 1: return JSONValue(generator.below(2000) - 1000)
            case 2: return .double(Double(generator.below(20_000) - 10_000) / [10, 100, 1000, 4][generator.below(4)])
            case 3: return .int(Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.below(64)))
            case 4:
                let double = Double(bitPattern: generator.next())
                return .double(double.isFinite ? double : 1e17)
            case 5, 6:
                return .string(String((0..<generator.below(5)).map { _ in alphabet[generator.below(alphabet.count)] }))
            case 7: return .array((0..<generator.below(3)).map { _ in value(depth - 1) })
            default: return .object(JSONObject((0..<generator.below(3)).map { ("k\($0)", value(depth - 1)) }))
            }
        }
        for _ in 0..<4000 {
            let (a, b) = (value(2), value(2))
            for isRaw in [false, true] {
                try expectKeyOrder(a, b, isRaw: isRaw)
                try expectKeyOrder(a, a, isRaw: isRaw)
            }
        }
    }

    @Test func shortNumbersAreExact() throws {
        var generator = SeededGenerator(seed: 21)
        var read = 0
        for _ in 0..<20_000 {
            let digits = String((0...generator.below(17)).map { _ in Character(String(generator.below(10))) })
            let text = "-" + String(Int(digits) ?? 0) + "." + String(generator.below(10_000))
            let canonical = try JSONValue(parsing: text).canonicalBytes()
            guard let short = ShortNumber.value(canonical.span.bytes) else { continue }
            read += 1
            #expect(short == Double(text), "\(text)")
        }
        #expect(read > 10_000)
        for text in ["", "-", ".", "1e5", "1.2.3", "1-2", "1234567890123456", "12345678901234567", "x"] {
            let bytes = Array(text.utf8)
            #expect(ShortNumber.value(bytes.span.bytes) == nil, "\(text)")
        }
    }
}
