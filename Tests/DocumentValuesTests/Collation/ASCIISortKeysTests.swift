internal import StorageConformance
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct ASCIISortKeysTests {
    @Test func theTableIsInUse() throws {
        #expect(ICUStrings.shared.table != nil)
        #expect(ICUStrings(usesASCIITable: false).table == nil)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func theTableMakesTheSameBytesAsICU(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let icu = Collator.icuOnly
        let alphabets: [[UInt8]] = [
            Array(0x20...0x7F), Array(0x00...0x7F), Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ".utf8),
            Array("aW".utf8), Array("aB-_,$~09".utf8),
        ]
        for round in 0..<1_500 {
            let alphabet = alphabets[random.below(alphabets.count)]
            let length = random.below(round % 50 == 0 ? 600 : 40)
            // Control characters would be escaped, and then bypass the table: only DEL stands for itself.
            let text = (0..<length).map { _ in alphabet[random.below(alphabet.count)] }.filter { $0 >= 0x20 }
            let json = quoted(String(decoding: text, as: UTF8.self))
            #expect(try Collator.unicode.key(json) == icu.key(json), "seed \(seed): \(json)")
        }
    }

    /// Unexpected keys, whichever they are, disable the table.
    @Test func aTableThatDiffersFromICUIsNotUsed() throws {
        func icu(_ text: [UInt8]) -> [UInt8] {
            // A made-up collation in ICU's form: one primary byte and common weights throughout.
            let weights = text.filter { $0 >= 0x20 }
            let run: [UInt8] = weights.isEmpty ? [] : runs(weights.count - 1, of: 33, full: 0x25)
            let tertiaries: [UInt8] = weights.isEmpty ? [] : runs(weights.count - 1, of: 97, full: 0x65)
            return weights.map { $0 + 0x10 } + [1] + run + [1] + tertiaries + [0]
        }
        #expect(ASCIISortKeys(sortKey: icu) != nil)
        #expect(ASCIISortKeys { _ in [] } == nil)
        #expect(ASCIISortKeys { $0.count > 300 ? [1, 1, 0] : icu($0) } == nil)
        #expect(ASCIISortKeys { text in text.contains(0x51) && text.count > 1 ? icu(text) + [0] : icu(text) } == nil)
        #expect(ASCIISortKeys { text in text == [0x51] ? [0x61, 1, 6, 1, 5, 0] : icu(text) } == nil)
        #expect(ASCIISortKeys { text in text == [0x51] ? [0x61, 0x61, 0x61, 0x61, 1, 5, 1, 5, 0] : icu(text) } == nil)
    }

    private func runs(_ number: Int, of length: Int, full: UInt8) -> [UInt8] {
        [UInt8](repeating: full, count: number / length) + [5 + UInt8(number % length)]
    }
}
