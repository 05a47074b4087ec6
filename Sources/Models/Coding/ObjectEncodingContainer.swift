internal import SetteeDocumentValues
internal import StorageProtocol

/// Encodes the members of an object.
struct ObjectEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let object: EncodedObject
    private let encoder: ValueEncoder
    private let path: CodingPath?

    init(_ object: EncodedObject, of encoder: ValueEncoder, at path: CodingPath?) {
        self.object = object
        self.encoder = encoder
        self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }

    private func set(_ value: JSONValue, _ key: Key) { object.set(key.stringValue, .value(value)) }

    private func setNumber<T: FixedWidthInteger & Sendable>(_ value: T, _ key: Key) throws {
        set(try JSONForm.number(value, at: CodingPath(path, key)), key)
    }

    func encodeNil(forKey key: Key) { set(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) throws {
        set(try JSONForm.number(value, at: CodingPath(path, key)), key)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        set(try JSONForm.number(value, at: CodingPath(path, key)), key)
    }
    func encode(_ value: Int, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int8, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: Int64, forKey key: Key) { set(.int(Int64(value)), key) }
    func encode(_ value: Int128, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try setNumber(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try setNumber(value, key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        object.set(key.stringValue, try encoder.node(of: value, at: CodingPath(path, key)))
    }

    // A member that is nil is declared, too, so that saving can remove it.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { object.leaveOut(key.stringValue) }
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        var inner = EncodedObject()
        if case .object(let known)? = object.node(key.stringValue) {
            inner = known
        } else {
            object.set(key.stringValue, .object(inner))
        }
        return KeyedEncodingContainer(ObjectEncodingContainer<Inner>(inner, of: encoder, at: CodingPath(path, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        var inner = EncodedArray()
        if case .array(let known)? = object.node(key.stringValue) {
            inner = known
        } else {
            object.set(key.stringValue, .array(inner))
        }
        return ArrayEncodingContainer(inner, of: encoder, at: CodingPath(path, key))
    }

    func superEncoder() -> any Encoder { superEncoder(PlainKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

    private func superEncoder(_ key: some CodingKey) -> any Encoder {
        let inner = encoder.inner(at: CodingPath(path, key))
        object.set(key.stringValue, .encoder(inner))
        return inner
    }
}
