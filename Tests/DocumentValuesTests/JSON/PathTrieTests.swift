import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeDocumentValues

/// One walk for many paths finds what a search for each one finds.
@Suite struct PathTrieTests {
    /// Names of which some begin like others, sort otherwise than their bytes do, have escapes, or are long.
    private static let names = [
        "", "a", "ab", "a b", "a!", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghij", "abcdefgh\u{1}", "b", "c\"d",
        "c\\",
        "\n", "\u{7F}", "é", "e\u{301}", "\u{E000}", "\u{FFFD}x", "😀", "0", "1", "2", "10", "01", "_id", "z",
        "a long name of some forty characters, I", "a long name of some forty characters, J",
    ]
    private static let texts = [
        "", "plain", "with \"quotes\" and \\ in it", "brackets ]}[{ and , : too", "line\nfeeds\u{1}", "é 😀",
        String(repeating: "long ", count: 20), String(repeating: "\\\"", count: 20), "[\"a\"]",
    ]

    private struct Maker {
        var generator: SeededGenerator

        mutating func name() -> String { names[generator.below(names.count)] }

        mutating func value(_ depth: Int) -> JSONValue {
            switch generator.below(depth > 0 ? 8 : 4) {
            case 0: return [.null, true, false][generator.below(3)]
            case 1: return JSONValue(generator.below(1_000_000) - 1000)
            case 2: return .double(Double(generator.below(100_000)) / 64)
            case 3: return .string(texts[generator.below(texts.count)])
            case 4, 5: return .array((0..<generator.below(6)).map { _ in value(depth - 1) })
            default:
                var object = JSONObject()
                for _ in 0..<generator.below(9) { object[name()] = value(depth - 1) }
                return .object(object)
            }
        }

        mutating func path() -> JSONPointer {
            JSONPointer(names: (0..<generator.below(4)).map { _ in name() })
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func sameAsSingleSearches(seed: UInt64) throws {
        var maker = Maker(generator: SeededGenerator(seed: seed))
        var found = 0
        for _ in 0..<1500 {
            let paths = (0..<maker.generator.below(7)).map { _ in maker.path() }
            let trie = PathTrie(paths)
            #expect(trie.count == Set(paths).count)
            for _ in 0..<4 {
                let value = maker.value(4)
                let text = try value.canonicalBytes()
                let places = trie.places(in: text)
                for (index, path) in paths.enumerated() {
                    let range = places[index]
                    let expected = try value[path]?.canonicalBytes()
                    if expected != nil { found += 1 }
                    try #require(
                        range.map { Array(text[$0]) } == expected,
                        "seed \(seed): \(path) among \(paths) in \(value)"
                    )
                    #expect(JSONScanner.range(of: path, in: text.span.bytes) == range)
                }
            }
        }
        #expect(found > 3000, "\(found)")
    }

    /// Whatever follows the last value is not read.
    @Test func endsBehindTheLastValue() throws {
        let trie = PathTrie([try JSONPointer("/b"), try JSONPointer("/a/0")])
        for text in [#"{"a":[1,2],"b":3,"#, #"{"a":[1,2],"b":3,"c":"#, #"{"a":[1,2],"b":3}}}"#] {
            #expect(trie.places(in: Array(text.utf8)) == [15..<16, 6..<7], "\(text)")
        }
        #expect(trie.places(in: Array(#"{"c":1,"#.utf8)) == [nil, nil])
    }

    /// Damaged text gives any result, but nothing beyond its end is read, and nothing traps.
    @Test(arguments: [11, 12] as [UInt64])
    func damagedTexts(seed: UInt64) throws {
        var maker = Maker(generator: SeededGenerator(seed: seed))
        for _ in 0..<3000 {
            let trie = PathTrie((0..<5).map { _ in maker.path() })
            var text = try maker.value(4).canonicalBytes()
            for _ in 0..<maker.generator.below(4) {
                text[maker.generator.below(text.count)] = UInt8(maker.generator.below(256))
            }
            text.removeLast(maker.generator.below(text.count + 1))
            for range in trie.places(in: text) {
                guard let range else { continue }
                #expect(range.lowerBound >= 0 && range.upperBound <= text.count)
            }
        }
    }

    /// Tries that are joined find what each of them finds.
    @Test(arguments: [21, 22] as [UInt64])
    func joinedTries(seed: UInt64) throws {
        var maker = Maker(generator: SeededGenerator(seed: seed))
        for number in 0..<200 {
            let tries = (0..<5).map { _ in
                PathTrie((0..<maker.generator.below(number == 0 ? 200 : 6)).map { _ in maker.path() })
            }
            let joined = PathTrie.joined(tries)
            for _ in 0..<4 {
                let text = try maker.value(4).canonicalBytes()
                let places = PathPlaces(joined)
                let found = places.find(in: text.span.bytes)
                var first = 0
                for trie in tries {
                    let part = found.suffix(from: first)
                    #expect(trie.paths.indices.map { part[$0] } == trie.places(in: text))
                    first += trie.paths.count
                }
                withExtendedLifetime(places) {}
            }
        }
    }
}

extension PathTrie {
    /// The places of all paths in a text.
    fileprivate func places(in text: [UInt8]) -> [Range<Int>?] {
        var ranges: [Range<Int>?] = []
        withPlaces(in: text.span.bytes) { found in
            #expect(found[-1] == nil && found[paths.count] == nil)
            ranges = paths.indices.map { found[$0] }
        }
        return ranges
    }
}
