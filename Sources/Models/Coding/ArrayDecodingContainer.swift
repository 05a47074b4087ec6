internal import SetteeDocumentValues
internal import StorageProtocol

/// Decodes the elements of a JSON array.
struct ArrayDecodingContainer: UnkeyedDecodingContainer {
    private let elements: [JSONValue]
    private let decoder: ValueDecoder
    private(set) var currentIndex = 0

    init(_ elements: [JSONValue], of decoder: ValueDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Returns a decoder for the next element, which remains the next one until it is decoded.
    private func next<T>(_ type: T.Type) throws -> ValueDecoder {
        let key = PlainKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: codingPath + [key], debugDescription: "The array has no more elements.")
            )
        }
        return decoder.inner(elements[currentIndex], key)
    }

    private mutating func take<T>(_ decode: (ValueDecoder) throws -> T) throws -> T {
        let value = try decode(next(T.self))
        currentIndex += 1
        return value
    }

    private mutating func number<T: FixedWidthInteger & Sendable>() throws -> T { try take { try $0.number() } }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).json.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.text() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try number() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try number() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try number() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try number() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try number() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try number() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try number() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try number() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try number() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try number() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try number() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try number() }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take { try $0.value(type) } }

    mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) throws -> KeyedDecodingContainer<Inner> {
        try take { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }
}
