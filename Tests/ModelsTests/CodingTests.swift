import Foundation
import Settee
import Testing

/// Values to JSON and back.
@Suite struct CodingTests {
    private let encoder = JSONValueEncoder()
    private let decoder = JSONValueDecoder()

    private func roundTrip<T: Codable & Equatable>(
        _ value: T,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let json = try encoder.encode(value)
        #expect(json.description == text, sourceLocation: sourceLocation)
        #expect(try decoder.decode(T.self, from: json) == value, sourceLocation: sourceLocation)
        let parsed = try JSONValue(parsing: json.canonicalBytes())
        #expect(try decoder.decode(T.self, from: parsed) == value, sourceLocation: sourceLocation)
    }

    @Test func scalars() throws {
        try roundTrip(true, "true")
        try roundTrip("é\u{0}\u{1F600}", #""é\u0000😀""#)
        try roundTrip(Int.min, "-9223372036854775808")
        try roundTrip(UInt64.max, "18446744073709551615")
        try roundTrip(Int8(-128), "-128")
        try roundTrip(Int128(UInt64.max), "18446744073709551615")
        try roundTrip(Int128.min, "-170141183460469231731687303715884105728")
        try roundTrip(UInt128.max, "340282366920938463463374607431768211455")
        try roundTrip(0.1, "0.1")
        try roundTrip(Float(0.1), "0.1")
        try roundTrip(Float.greatestFiniteMagnitude, "3.4028235e+38")
        try roundTrip(Double.leastNonzeroMagnitude, "5e-324")
        try roundTrip(Int?.none, "null")
        try roundTrip([1, nil, 3] as [Int?], "[1,null,3]")
    }

    @Test func everyFloatComesBack() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Float(bitPattern: UInt32.random(in: .min ... .max, using: &generator))
            guard value.isFinite else { continue }
            #expect(try decoder.decode(Float.self, from: encoder.encode(value)) == value)
        }
    }

    @Test func valuesWithFormsOfTheirOwn() throws {
        try roundTrip(Date(timeIntervalSince1970: 1.25), #""1970-01-01T00:00:01.250Z""#)
        try roundTrip(Data([1, 2, 3]), #""AQID""#)
        try roundTrip(try #require(Decimal(string: "19.90")), #""19.9""#)
        try roundTrip(try #require(URL(string: "https://example.com/a?b=c#d")), #""https://example.com/a?b=c#d""#)
        try roundTrip(
            try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
            #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#
        )
        try roundTrip(["x": ["a": 1, "b": [nil, true]]] as JSONValue, #"{"x":{"a":1,"b":[null,true]}}"#)
        try roundTrip(["when": Date(timeIntervalSince1970: 0)], #"{"when":"1970-01-01T00:00:00.000Z"}"#)
        try roundTrip([Data(), Data([255])], #"["","/w=="]"#)
        try roundTrip([Decimal(1)], #"["1"]"#)
        #expect(try decoder.decode([Decimal].self, from: [1, 0.5, "2.50"]) == [1, 0.5, 2.5])
    }

    private struct Raw: Codable, Equatable {
        var object: JSONObject
        var value: JSONValue?
    }

    @Test func jsonWithinTypes() throws {
        try roundTrip(Raw(object: ["b": 1, "a": nil], value: [1]), #"{"object":{"a":null,"b":1},"value":[1]}"#)
        #expect(throws: DecodingError.self) { try decoder.decode(Raw.self, from: ["object": 1]) }
        let text = try JSONEncoder().encode(Raw(object: ["a": 1], value: nil))
        #expect(try JSONDecoder().decode(Raw.self, from: text).object == ["a": 1])
    }

    @Test func nilMembersAreLeftOut() throws {
        try roundTrip(Note(title: "x"), #"{"title":"x"}"#)
        #expect(try decoder.decode(Note.self, from: ["title": "x", "due": nil, "other": 1]) == Note(title: "x"))
    }

    private struct Explicit: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encodeNil(forKey: .a)
            try container.encode(Int?.none, forKey: .b)
        }
        enum Keys: CodingKey { case a, b }
    }

    @Test func explicitNilIsNull() throws {
        #expect(try encoder.encode(Explicit()) == ["a": nil, "b": nil])
    }

    private struct Nothing: Codable, Equatable {}
    private struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
    private struct Torn: Encodable {
        func encode(to encoder: any Encoder) throws {
            var array = encoder.unkeyedContainer()
            try array.encode(1)
            var single = encoder.singleValueContainer()
            try single.encode(2)
        }
    }

    @Test func whatWritesNothingIsAnObject() throws {
        try roundTrip(Nothing(), "{}")
        try roundTrip([Nothing()], "[{}]")
        #expect(try encoder.encode(Silent()) == [:])
    }

    @Test func whatWritesTwoFormsIsRefused() {
        #expect(throws: EncodingError.self) { try encoder.encode(Torn()) }
        #expect(throws: EncodingError.self) { try encoder.encode([Torn()]) }
    }

    @Test func numbersWithoutJSONAreRefused() {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try encoder.encode(["a": [value]]) }
            #expect(throws: EncodingError.self) { try encoder.encode(Float(value)) }
        }
        #expect(throws: EncodingError.self) { try encoder.encode(Decimal.nan) }
        #expect(throws: EncodingError.self) { try encoder.encode(Date(timeIntervalSince1970: .nan)) }
    }

    @Test func numbersMustFit() {
        #expect(throws: DecodingError.self) { try decoder.decode(Int8.self, from: 128) }
        #expect(throws: DecodingError.self) { try decoder.decode(UInt.self, from: -1) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: 1.5) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: .uint(.max)) }
        #expect(throws: DecodingError.self) { try decoder.decode(Float.self, from: 1e300) }
        #expect(throws: Never.self) { try decoder.decode(Int.self, from: 3.0) }
        #expect(throws: DecodingError.self) { try decoder.decode(Bool.self, from: 1) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: true) }
        #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: 1) }
    }

    private struct Outer: Codable { var inner: [Address] }

    @Test func errorsNameThePlaceAndNoContent() throws {
        do {
            _ = try decoder.decode(Outer.self, from: ["inner": [["city": "secret"], ["city": 12345]]])
            Issue.record("Nothing was thrown.")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["inner", "1", "city"])
            #expect(context.codingPath[1].intValue == 1)
            #expect(!context.debugDescription.contains("12345"))
        }
        do {
            _ = try decoder.decode(Outer.self, from: ["inner": [[:]]])
            Issue.record("Nothing was thrown.")
        } catch DecodingError.keyNotFound(let key, let context) {
            #expect(key.stringValue == "city")
            #expect(context.codingPath.map(\.stringValue) == ["inner", "0"])
        }
        do {
            _ = try encoder.encode(["a": ["b": [0.0, .nan]]])
            Issue.record("Nothing was thrown.")
        } catch EncodingError.invalidValue(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["a", "b", "1"])
        }
    }

    private final class Chain: Codable {
        var next: Chain?
        init(_ next: Chain?) { self.next = next }
    }

    @Test func nestingEndsSomewhere() throws {
        var chain = Chain(nil)
        for _ in 0..<400 { chain = Chain(chain) }
        let json = try encoder.encode(chain)
        _ = try decoder.decode(Chain.self, from: json)
        for _ in 0..<200 { chain = Chain(chain) }
        #expect(throws: EncodingError.self) { try encoder.encode(chain) }
        var deep: JSONValue = [:]
        for _ in 0..<600 { deep = ["next": deep] }
        #expect(throws: DecodingError.self) { try decoder.decode(Chain.self, from: deep) }
    }

    @Test func namesAreBytes() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        let json = JSONValue.object(JSONObject([(composed, JSONValue.int(1)), (decomposed, JSONValue.int(2))]))
        struct Two: Decodable {
            var values: [Int]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                values = try ["\u{E9}", "e\u{301}"].map { try container.decode(Int.self, forKey: Key(stringValue: $0)) }
            }
            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
        }
        #expect(try decoder.decode(Two.self, from: json).values == [1, 2])
    }

    @Test func userInfoArrives() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        struct Asking: Codable {
            init() {}
            init(from decoder: any Decoder) throws {
                guard let key = CodingUserInfoKey(rawValue: "k"), decoder.userInfo[key] as? Int == 7 else {
                    throw ApplicationError()
                }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                guard let key = CodingUserInfoKey(rawValue: "k"), let value = encoder.userInfo[key] as? Int else {
                    throw ApplicationError()
                }
                try container.encode(value)
            }
        }
        var encoder = encoder
        encoder.userInfo[key] = 7
        #expect(try encoder.encode(["a": Asking()]) == ["a": [7]])
        var decoder = decoder
        decoder.userInfo[key] = 7
        #expect(throws: Never.self) { try decoder.decode([Asking].self, from: [nil]) }
    }
}
