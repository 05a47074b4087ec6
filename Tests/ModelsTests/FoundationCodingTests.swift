import Foundation
import Settee
import Testing

/// Where Foundation's JSON coders and ours define the same form, they agree.
@Suite struct FoundationCodingTests {
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case polygon([Int], name: String?)
        case point
    }
    enum Color: String, Codable { case red, green }
    enum Level: Int, Codable {
        case low = 1
        case high = 9
    }

    class Base: Codable {
        var name = "base"
    }
    final class Derived: Base {
        var extra = 5
        enum Keys: CodingKey { case extra }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            extra = try container.decode(Int.self, forKey: .extra)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            let parent = container.superEncoder()
            try container.encode(extra, forKey: .extra)
            try super.encode(to: parent)
        }
    }
    /// Writes its members beside those of its superclass.
    final class Flat: Base {
        var extra = 6
        enum Keys: CodingKey { case extra }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            extra = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .extra)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(extra, forKey: .extra)
        }
    }

    struct Nested: Codable, Equatable {
        var a = 1
        var b = "two"
        var list = [3, 4]
        enum Keys: CodingKey { case outer, list }
        enum Inner: CodingKey { case a, b }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
            a = try inner.decode(Int.self, forKey: .a)
            b = try inner.decode(String.self, forKey: .b)
            var elements = try container.nestedUnkeyedContainer(forKey: .list)
            list = []
            while !elements.isAtEnd {
                var one = try elements.nestedUnkeyedContainer()
                list.append(try one.decode(Int.self))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
            try inner.encode(a, forKey: .a)
            var again = container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
            try again.encode(b, forKey: .b)
            var elements = container.nestedUnkeyedContainer(forKey: .list)
            for element in list {
                var one = elements.nestedUnkeyedContainer()
                try one.encode(element)
            }
        }
    }

    struct Everything: Codable, Equatable {
        var shape: Shape
        var shapes: [String: Shape]
        var byNumber: [Int: [Double]]
        var color: Color
        var colors: Set<Int>
        var level: Level?
        var pairs: [Color: Int]
        var bools: [Bool?]
        var nested = Nested()
        var url: URL?
        var id: UUID
        var small: [UInt8]
        var big: UInt64
        var optional: String??

        static func random(_ generator: inout some RandomNumberGenerator) -> Everything {
            func shape(_ generator: inout some RandomNumberGenerator) -> Shape {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .circle(radius: Double(Int.random(in: -1000...1000, using: &generator)) / 8)
                case 1: .polygon([1, 2, .random(in: 0..<9, using: &generator)], name: nil)
                case 2: .polygon([], name: "né\u{301}e \"\\\u{7}")
                default: .point
                }
            }
            var value = Everything(
                shape: shape(&generator),
                shapes: ["a": shape(&generator), "": shape(&generator)],
                byNumber: [-3: [0.5], .max: []],
                color: .green,
                colors: Bool.random(using: &generator) ? [7] : [],
                level: Bool.random(using: &generator) ? .high : nil,
                pairs: [.red: 1],
                bools: [true, nil, false],
                url: URL(string: "https://example.com/\(Int.random(in: 0..<100, using: &generator))"),
                id: UUID(),
                small: [0, 255],
                big: .random(in: .min ... .max, using: &generator),
                optional: .some("x")
            )
            value.nested.list = Array(0..<Int.random(in: 0..<4, using: &generator))
            return value
        }
    }

    private func viaFoundation(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: Array(JSONEncoder().encode(value)))
    }

    @Test func theSameFormsOfManyShapes() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let value = Everything.random(&generator)
            let json = try JSONValueEncoder().encode(value)
            #expect(try json == viaFoundation(value))
            #expect(try JSONValueDecoder().decode(Everything.self, from: json) == value)
            let data = try Data(json.canonicalBytes())
            #expect(try JSONDecoder().decode(Everything.self, from: data) == value)
        }
    }

    @Test func classesWithSuperclasses() throws {
        let derived = Derived()
        derived.name = "d"
        let json = try JSONValueEncoder().encode(derived)
        #expect(json == ["extra": 5, "super": ["name": "d"]])
        #expect(try json == viaFoundation(derived))
        let back = try JSONValueDecoder().decode(Derived.self, from: json)
        #expect(back.name == "d" && back.extra == 5)

        let flat = try JSONValueEncoder().encode(Flat())
        #expect(flat == ["extra": 6, "name": "base"])
        #expect(try JSONValueDecoder().decode(Flat.self, from: flat).name == "base")
    }

    @Test func theSameRefusals() {
        let texts = ["{}", "[]", "1", "\"x\"", "null", #"{"shape":{}}"#, #"{"shape":{"circle":{}}}"#]
        for text in texts {
            #expect(throws: DecodingError.self) {
                try JSONValueDecoder().decode(Everything.self, from: JSONValue(parsing: text))
            }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Everything.self, from: Data(text.utf8))
            }
        }
    }
}
