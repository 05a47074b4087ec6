import SetteeDocumentValues
import SetteeExpressions
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol
import Testing

/// The comparisons of stored definitions.
@Suite struct ValueCheckTests {
    private func key(_ value: JSONValue, _ collator: Collator) throws -> [UInt8] {
        var key: [UInt8] = []
        let text = try value.canonicalBytes()
        try collator.encode(text.span.bytes, into: &key)
        return key
    }

    private func type(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .int, .uint, .longInteger, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// What the meaning says, by keys alone.
    private func expected(_ value: JSONValue, _ comparison: Comparison, _ literal: JSONValue) throws -> Bool {
        guard type(value) == type(literal) else { return false }
        let isEqual = try key(value, .raw) == key(literal, .raw)
        let order = try compareBytes(key(value, .unicode), key(literal, .unicode))
        switch comparison {
        case .equal: return isEqual
        case .unequal: return !isEqual
        case .less: return order < 0
        case .atMost: return isEqual || order < 0
        case .greater: return order > 0
        case .atLeast: return isEqual || order > 0
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func sameAsByKeys(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var held = 0
        for _ in 0..<3000 {
            let (value, literal) = (maker.value(2), maker.value(2))
            let text = try value.canonicalBytes()
            for comparison in Comparison.allCases {
                let holds = try ValueCheck(comparison, literal).holds(text.span.bytes)
                #expect(try holds == expected(value, comparison, literal), "\(value) \(comparison) \(literal)")
                if holds { held += 1 }
            }
        }
        #expect(held > 500, "\(held)")
    }

    @Test func noValueBeyondAKeyPasses() throws {
        let long = try JSONValue.string(String(repeating: "é", count: 600_000)).canonicalBytes()
        let nothing: [UInt8] = []
        for comparison in Comparison.allCases {
            #expect(try !ValueCheck(comparison, "e").holds(long.span.bytes), "\(comparison)")
            #expect(try !ValueCheck(comparison, 1).holds(nothing.span.bytes))
        }
        let error = #expect(throws: StorageError.self) {
            try ValueCheck(.equal, .string(String(repeating: "é", count: 600_000)))
        }
        #expect(error?.code == .tooLarge)
    }
}
