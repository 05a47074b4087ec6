internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import StorageConformance
internal import Testing

@Suite struct RandomDocumentTests {
    private static func string(_ generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<generator.below(12) {
            let number: UInt32 =
                switch generator.below(4) {
                case 0: UInt32(generator.below(0x20))
                case 1: UInt32(0xE000 + generator.below(0x2000))
                case 2: UInt32(0x1F300 + generator.below(0x500))
                default: UInt32(0x20 + generator.below(0x60))
                }
            if let scalar = Unicode.Scalar(number) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    private static func value(_ generator: inout SeededGenerator, _ depth: Int) -> JSONValue {
        switch generator.below(depth > 4 ? 6 : 8) {
        case 0: .null
        case 1: .bool(generator.below(2) == 0)
        case 2: .int(Int64.random(in: -9_007_199_254_740_991...9_007_199_254_740_991, using: &generator))
        case 3: .double(Double.random(in: -1e6...1e6, using: &generator))
        case 4, 5: .string(string(&generator))
        case 6: .array((0..<generator.below(5)).map { _ in value(&generator, depth + 1) })
        default: object(&generator, depth)
        }
    }

    private static func object(_ generator: inout SeededGenerator, _ depth: Int) -> JSONValue {
        var members: [String: JSONValue] = [:]
        let special = ["__proto__", "constructor", "toJSON", "length", "0", "-1"]
        for _ in 0..<generator.below(6) {
            let name = generator.below(4) == 0 ? special[generator.below(special.count)] : string(&generator)
            members[name] = value(&generator, depth + 1)
        }
        return JSONValue(members)
    }

    @Test(arguments: 0..<10) func identityKeepsThem(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let worker = JavaScriptWorker(JavaScriptConfiguration(batchCount: 1 + generator.below(200)))
        let documents = try (0..<1000).map { _ in try Self.object(&generator, 0).canonicalBytes() }
        let outcomes = try worker.map([function("doc => emit(doc, doc)")], documents)[0]
        for (document, outcome) in zip(documents, outcomes) {
            let rows = try outcome.get()
            let value = try JSONValue(parsing: document)
            #expect(try rows.count == 1 && JSONValue(parsing: rows[0].key) == value, "seed \(seed)")
            #expect(rows.first?.key == rows.first?.value, "seed \(seed)")
        }
    }
}
