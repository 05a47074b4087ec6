internal import SetteeDocumentValues
internal import StorageProtocol

/// Decodes the members of a JSON object.
struct ObjectDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONObject
    private let decoder: ValueDecoder

    init(_ object: JSONObject, of decoder: ValueDecoder) {
        self.object = object
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        decoder.recorder?.isOpen = true
        return object.keys.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    private func member(_ key: Key) -> JSONValue? {
        decoder.recorder?.note(key.stringValue)
        return object[key.stringValue] ?? decoder.special?[key.stringValue]
    }

    private func required(_ key: Key) throws -> JSONValue {
        if let value = member(key) { return value }
        throw DecodingError.keyNotFound(
            key,
            .init(codingPath: codingPath, debugDescription: "The object has no member of this name.")
        )
    }

    /// Returns the member; nil if it is missing or null.
    private func present(_ key: Key) -> JSONValue? {
        guard let value = member(key), !value.isNull else { return nil }
        return value
    }

    private func scalar(_ value: JSONValue, _ key: Key) -> ValueDecoder { decoder.inner(value, key) }

    private func inner(_ value: JSONValue, _ key: some CodingKey) -> ValueDecoder {
        decoder.inner(value, key, recorder: decoder.recorder?.inner(key.stringValue))
    }

    private func number<T: FixedWidthInteger & Sendable>(_ key: Key) throws -> T {
        try scalar(try required(key), key).number()
    }

    private func presentNumber<T: FixedWidthInteger & Sendable>(_ key: Key) throws -> T? {
        guard let value = present(key) else { return nil }
        return try scalar(value, key).number()
    }

    func decodeNil(forKey key: Key) throws -> Bool { try required(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(try required(key), key).bool() }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let value = present(key) else { return nil }
        return try scalar(value, key).bool()
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(try required(key), key).text() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = present(key) else { return nil }
        return try scalar(value, key).text()
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(try required(key), key).double() }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let value = present(key) else { return nil }
        return try scalar(value, key).double()
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try scalar(try required(key), key).float() }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let value = present(key) else { return nil }
        return try scalar(value, key).float()
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try presentNumber(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try presentNumber(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try presentNumber(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try presentNumber(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try presentNumber(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try number(key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try presentNumber(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try presentNumber(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try presentNumber(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try presentNumber(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try presentNumber(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try presentNumber(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try number(key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try presentNumber(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try inner(try required(key), key).value(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = present(key) else { return nil }
        return try inner(value, key).value(type)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        try inner(try required(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(try required(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        decoder.recorder?.note(PlainKey.super.stringValue)
        return inner(object[PlainKey.super.stringValue] ?? .null, PlainKey.super)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { inner(member(key) ?? .null, key) }
}
