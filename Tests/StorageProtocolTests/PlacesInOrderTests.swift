import StorageProtocol
import Testing

/// IDs are sorted by their bytes, whatever they have in common.
@Suite struct PlacesInOrderTests {
    private func order(_ texts: [String]) throws -> [String] {
        let ids = try texts.map { try DocumentID($0) }
        return ids.placesInOrder.map { texts[$0] }
    }

    @Test(arguments: ["", "a", "person-00000", String(repeating: "long", count: 300)])
    func shortAndLongOnesBehindAPrefix(prefix: String) throws {
        let ends = [
            "b", "a", "1", "11", "12345678", "123456789", "1234567", "123456780", "é", "e\u{301}", "z", "\u{1}",
        ]
        let texts = ends.map { prefix + $0 }
        #expect(try order(texts) == texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
        #expect(try order(texts + [prefix + "1"]).count == texts.count + 1)
    }

    @Test func oneThatAllOthersBeginWith() throws {
        #expect(try order(["person-1", "person-", "person-0"]) == ["person-", "person-0", "person-1"])
        #expect(try order(["b", "a", "b", "a"]) == ["a", "a", "b", "b"])
        #expect(try order([]) == [])
        #expect(try order(["a"]) == ["a"])
    }

    @Test(arguments: [1, 2, 3]) func manyInNoOrder(seed: UInt64) throws {
        var state = seed
        let texts = (0..<2_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return "d" + String(repeating: "x", count: Int(state >> 33 % 12)) + String(state >> 40)
        }
        #expect(try order(texts) == texts.sorted())
    }
}
