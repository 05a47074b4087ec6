internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct CollationPrefixTests {
    /// The counted bytes are the key of the shortened array without its end, and define the range of all keys that
    /// begin with it.
    @Test(arguments: 0..<4 as Range<UInt64>, [false, true])
    func arraysAreCutAtTheirElements(seed: UInt64, raw: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let collator = raw ? Collator.raw : .unicode
        let arrays = (0..<80).map { _ in (0..<random.below(5)).map { _ in sample(&random, depth: 2) } }
        let keys = try arrays.map { try collator.key(text($0)) }
        for (array, key) in zip(arrays, keys) {
            for count in 0..<7 {
                let length = try #require(prefixLength(key, count))
                let shortened = try collator.key(text(Array(array.prefix(count))))
                #expect(Array(key[..<length]) == shortened.dropLast(), "seed \(seed): \(array), \(count)")
                let start = Array(key[..<length])
                let end = try #require(CollationKey.end(ofPrefix: start))
                for (other, otherKey) in zip(arrays, keys) {
                    let begins =
                        try other.count >= min(count, array.count)
                        && collator.key(text(Array(other.prefix(min(count, array.count))))) == shortened
                    #expect(
                        (start <= otherKey && otherKey < end) == begins,
                        "seed \(seed): \(array), \(other), \(count)"
                    )
                }
            }
        }
    }

    @Test func onlyArraysHaveElements() throws {
        for json in ["null", "1", #""[1]""#, "{}", #"{"a":[1]}"#, "true"] {
            #expect(try prefixLength(Collator.unicode.key(json), 1) == nil, "\(json)")
            #expect(try prefixLength(Collator.raw.key(json), 1) == nil, "\(json)")
            #expect(elements(1, json) == nil, "\(json)")
        }
        #expect(prefixLength([], 1) == nil)
        #expect(try prefixLength(Collator.unicode.key("[]"), 3) == 1)
        #expect(try prefixLength(Collator.unicode.key("[1,2]"), -1) == 1)
    }

    /// Damaged keys are reported, or cut somewhere inside: nothing is read beyond them.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func damagedKeysAreCutWithinOrRefused(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let key = try Collator.unicode.key(text((0..<4).map { _ in sample(&random, depth: 2) }))
            let whole = try #require(prefixLength(key, 9))
            #expect(whole == key.count - 1)
            let length = random.below(key.count)
            #expect(prefixLength(Array(key[..<length]), 9) == nil, "seed \(seed)")
            var damaged = key
            damaged[random.below(key.count)] ^= 1 << UInt8(random.below(8))
            if let cut = prefixLength(damaged, random.below(5)) { #expect(cut <= damaged.count) }
        }
    }

    @Test func theEndOfAPrefixIsTheLeastStringAboveIt() {
        #expect(CollationKey.end(ofPrefix: [1, 2]) == [1, 3])
        #expect(CollationKey.end(ofPrefix: [1, 0xFF]) == [2])
        #expect(CollationKey.end(ofPrefix: [0xA7, 0xFE, 0xFF, 0xFF]) == [0xA7, 0xFF])
        #expect(CollationKey.end(ofPrefix: [0xFF, 0xFF]) == nil)
        #expect(CollationKey.end(ofPrefix: []) == nil)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func elementsAreFoundInText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let array = (0..<random.below(5)).map { _ in sample(&random, depth: 3) }
            for count in 0..<6 {
                #expect(elements(count, text(array)) == array.prefix(count).joined(separator: ","), "seed \(seed)")
            }
            let json = text(array)
            for length in 0..<json.utf8.count - 1
            where elements(9, String(decoding: json.utf8.prefix(length), as: UTF8.self)) != nil {
                Issue.record("seed \(seed): \(json) cut at \(length)")
            }
        }
    }

    private func text(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    private func prefixLength(_ key: [UInt8], _ count: Int) -> Int? {
        unsafe CollationKey.prefixLength(of: key.span.bytes, elements: count)
    }

    private func elements(_ count: Int, _ json: String) -> String? {
        let bytes = Array(json.utf8)
        return unsafe JSONScanner.range(ofElements: count, in: bytes.span.bytes)
            .map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    private func sample(_ random: inout SeededGenerator, depth: Int) -> String {
        switch random.below(depth > 0 ? 8 : 5) {
        case 0: return "null"
        case 1: return random.chance(1, in: 2) ? "true" : "false"
        case 2: return ["0", "-1", "2.5", "1e+300", "-0.125", "9007199254740993"][random.below(6)]
        case 3...4: return [#""""#, #""a""#, #""A]""#, #""b\",[""#, "\"\u{e9}\"", #""\u0001""#][random.below(6)]
        case 5...6: return text((0..<random.below(3)).map { _ in sample(&random, depth: depth - 1) })
        default: return random.chance(1, in: 2) ? "{}" : #"{"a":\#(sample(&random, depth: depth - 1)),"b]":[1]}"#
        }
    }
}

/// As memcmp orders, a prefix first.
private func <= (a: [UInt8], b: [UInt8]) -> Bool { compareBytes(a, b) <= 0 }
private func < (a: [UInt8], b: [UInt8]) -> Bool { compareBytes(a, b) < 0 }
