internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite("Order of names")
struct JSONNameOrderTests {
    /// Names that are hard to tell apart: long common beginnings, characters around the surrogates, none at all.
    private func name(_ random: inout SeededGenerator) -> String {
        let pool: [Unicode.Scalar] = [
            "a", "b", "\u{7F}", "\u{E9}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "_",
        ]
        var name = String(repeating: "k", count: [0, 0, 0, 5, 7, 8, 9].randomElement(using: &random) ?? 0)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            name.unicodeScalars.append(pool.randomElement(using: &random) ?? "a")
        }
        return name
    }

    /// The same name, sometimes with escapes.
    private func written(_ name: String, _ random: inout SeededGenerator) -> String {
        guard Int.random(in: 0..<5, using: &random) == 0 else { return "\"\(name)\"" }
        return "\"" + name.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined() + "\""
    }

    @Test("is that of UTF-16, and of equal names the last one counts")
    func order() throws {
        for seed in 0..<UInt64(isStress ? 100_000 : 3000) {
            var random = SeededGenerator(seed: seed)
            var last: [[UInt16]: (name: String, value: Int)] = [:]
            var members: [String] = []
            let spaces = ["", "", "", " ", "\n"]
            // On both sides of the number up to which entries are sorted one by one.
            for value in 0..<Int.random(in: 0...30, using: &random) {
                let name = name(&random)
                last[Array(name.utf16)] = (name, value)
                let space = spaces.randomElement(using: &random) ?? ""
                members.append(written(name, &random) + space + ":" + (space == "\n" ? " " : "") + "\(value)")
            }
            let sorted = last.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
            let text = "{" + sorted.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
            #expect(try canonical("{" + members.joined(separator: ",") + "}") == text, "seed \(seed)")
            // In an array between other values, and deeper.
            let nested = "[0 ,{\"b\":{" + members.joined(separator: ",") + "},\"a\":[1]}]"
            #expect(try canonical(nested) == "[0,{\"a\":[1],\"b\":\(text)}]", "seed \(seed)")

            var parser = JSONParser()
            let source = Array(("{" + members.joined(separator: ",") + "}").utf8)
            try unsafe parser.parse(source.span.bytes)
            let stored = sorted.filter { !$0.name.utf8.starts(with: "_".utf8) }
            var body: [UInt8] = []
            try parser.writeDocumentBody(into: &body)
            let expected = "{" + stored.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
            #expect(String(decoding: body, as: UTF8.self) == expected, "seed \(seed)")
            let root = parser.root.map {
                parser.isCanonical($0) == (String(decoding: source, as: UTF8.self) == text)
            }
            #expect(root == true, "seed \(seed)")
        }
    }
}
