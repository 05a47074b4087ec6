import Settee
import SetteeTestSupport
import Testing

/// Keys that have the end of the range as a prefix.
@Suite struct PrefixMatchTests {
    private static let keys: [JSONValue] = [
        nil, true, 1, 12, "", "a", "A", "ab", "aB", "abc", "b", "e", "é", "éa", "e\u{301}", "ea", "日", "日本", "日本語", "本",
        "😀", "😀😀", "ch", "c", [], [nil], ["a"], ["ab"], ["ab", 1], ["a", "b"], ["a", "bc"], ["a", "b", "c"],
        ["a", "B"],
        ["a", 1], ["日"], ["日本"], ["日本", "語"], ["日", "本"], ["日", "本語", 1], [nil, 2], ["a", 1, 2], ["a", ["b"]],
        ["a", ["b", "c"]],
        ["a", ["b", "cd"]], ["a", ["b", "c", 1]], ["a", ["b", ["c"]]], [["a"]], [["ab"]], [["a", "b"]], [["a", "bc"]],
        [:], ["a": "b"], ["a": "bc"],
    ]

    /// Whether a key begins with a prefix, as the documentation defines it.
    private func begins(_ key: JSONValue, with prefix: JSONValue, _ level: Int) -> Bool {
        guard isPrefix(prefix, level) else { return key == prefix }
        switch (prefix, key) {
        case (.string(let beginning), .string(let text)): return bytes(text).starts(with: bytes(beginning))
        case (.array(let beginning), .array(let elements)) where level == 1: return elements.starts(with: beginning)
        case (.array(let beginning), .array(let elements)):
            return elements.count >= beginning.count && elements.starts(with: beginning.dropLast())
                && begins(elements[beginning.count - 1], with: beginning[beginning.count - 1], level - 1)
        default: return false
        }
    }

    /// Whether a value can be a prefix of others.
    private func isPrefix(_ value: JSONValue, _ level: Int) -> Bool {
        switch value {
        case .string: level > 0
        case .array(let elements): level == 1 || level > 1 && elements.last.map { isPrefix($0, level - 1) } ?? false
        default: false
        }
    }

    @Test(arguments: Storage.all, [ViewCollation.unicode, .raw])
    func inBothDirections(_ type: StorageType, _ collation: ViewCollation) throws {
        let keys = PrefixMatchTests.keys
        try withDatabase(type) { (bed) throws in
            try bed.database.put(keys.enumerated().map { (id: "\($0.offset)", body: ["k": $0.element]) })
            try bed.view().setMap(version: "1", collation: collation) { document, emit in emit(document["k"]) }
            let all = try bed.view().query().keyList()
            #expect(all.count == keys.count)
            for prefix in keys + ["none", ["a", "none"]] {
                let equal = try bed.view().query(startKey: prefix, endKey: prefix).keyList()
                let below = try bed.view().query(endKey: prefix).keyList()
                for level in 0...3 {
                    // Both ends are the prefix: it and what begins with it, nothing else.
                    let one = bed.view().query(startKey: prefix, endKey: prefix, prefixMatchLevel: level)
                    let matching = all.filter { equal.contains($0) || begins($0, with: prefix, level) }
                    #expect(try one.keyList() == matching, "\(prefix) \(level)")
                    let reversed = try one.with { $0.descending = true }.keyList()
                    #expect(reversed == matching.reversed(), "\(prefix) \(level), descending")
                    // The upper end is the prefix: everything before it is included, too.
                    let upTo = all.filter { below.contains($0) || begins($0, with: prefix, level) }
                    let ascending = bed.view().query(endKey: prefix, prefixMatchLevel: level)
                    #expect(try ascending.keyList() == upTo, "up to \(prefix) \(level)")
                    let descending = bed.view().query(startKey: prefix, descending: true, prefixMatchLevel: level)
                    #expect(try descending.keyList() == upTo.reversed(), "down from \(prefix) \(level)")
                }
            }
        }
    }

    @Test(arguments: Storage.all) func theOtherEndAndLimits(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let names = ["aa", "ab", "aba", "abb", "abc", "ac", "b"]
            for name in names { try bed.database[name].put([:]) }
            try bed.view().setMap(version: "1") { document, emit in
                emit(.string(document.id.string))
                emit(["x", .string(document.id.string)])
            }
            func query(
                _ start: JSONValue?,
                _ end: JSONValue?,
                _ level: Int,
                descending: Bool = false,
                _ change: (inout DatabaseQuery) -> Void = { _ in }
            ) throws -> [String] {
                var query = bed.view().query(
                    startKey: start,
                    endKey: end,
                    descending: descending,
                    prefixMatchLevel: level
                )
                change(&query)
                return try query.sources()
            }
            #expect(try query("ab", "ab", 1) == ["ab", "aba", "abb", "abc"])
            #expect(try query("aba", "ab", 1) == ["aba", "abb", "abc"])
            #expect(try query("aa", "ab", 1) { $0.inclusiveStart = false } == ["ab", "aba", "abb", "abc"])
            #expect(try query("ab", "aba", 1, descending: true) == ["abc", "abb", "aba"])
            #expect(try query("ab", nil, 1, descending: true) == ["abc", "abb", "aba", "ab", "aa"])
            #expect(try query("ab", "ab", 1) { ($0.skip, $0.limit) = (1, 2) } == ["aba", "abb"])
            #expect(try query("ab", "ab", 1, descending: true) { ($0.skip, $0.limit) = (1, 2) } == ["abb", "aba"])
            #expect(try query(["x", "ab"], ["x", "ab"], 2) == ["ab", "aba", "abb", "abc"])
            #expect(try query(["x", "abb"], ["x", "ab"], 2) == ["abb", "abc"])
            #expect(try query(["x"], ["x"], 1) == names)
            #expect(try query("b", "ab", 1) == [], "The range is empty.")
            // What is excluded at the lower end stays excluded.
            #expect(try query("ab", "ab", 1) { $0.inclusiveStart = false } == ["aba", "abb", "abc"])
            #expect(try query("ab", "ab", 1, descending: true) { $0.inclusiveEnd = false } == ["abc", "abb", "aba"])
            #expect(try query("ab", "ab", 1) { $0.startKeyDocID = "abc" } == ["aba", "abb", "abc"])
            // The prefix matches itself.
            #expect(try query("ab", "ab", 1) { $0.inclusiveEnd = false } == ["ab", "aba", "abb", "abc"])
            // Has no effect without an upper end.
            #expect(try query(["x", "ac"], nil, 1) == ["ac", "b"])
            #expect(try query(nil, "ac", 1, descending: true) == names.reversed() + ["b", "ac"])
        }
    }

    /// What begins with the key follows the rows of the key itself, batch by batch.
    @Test(arguments: Storage.all) func manyMatches(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<1200).map { (id: "\($0)", body: [:]) })
            try bed.view().setMap(version: "1") { document, emit in emit(.string(document.id.string)) }
            let query = bed.view().query(startKey: "1", endKey: "1", prefixMatchLevel: 1)
            let expected = (0..<1200).map { "\($0)" }.filter { $0.hasPrefix("1") }.sorted()
            #expect(try query.sources() == expected)
            #expect(try query.with { $0.descending = true }.sources() == expected.reversed())
        }
    }
}
