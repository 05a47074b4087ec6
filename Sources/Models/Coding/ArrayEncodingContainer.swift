internal import SetteeDocumentValues
internal import StorageProtocol

/// Encodes the elements of an array.
struct ArrayEncodingContainer: UnkeyedEncodingContainer {
    private let array: EncodedArray
    private let encoder: ValueEncoder
    private let path: CodingPath?

    init(_ array: EncodedArray, of encoder: ValueEncoder, at path: CodingPath?) {
        self.array = array
        self.encoder = encoder
        self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int { array.elements.count }

    private var place: CodingPath { CodingPath(path, PlainKey(intValue: count)) }

    private func append(_ value: JSONValue) { array.elements.append(.value(value)) }

    private func appendNumber<T: FixedWidthInteger & Sendable>(_ value: T) throws {
        append(try JSONForm.number(value, at: place))
    }

    func encodeNil() { append(.null) }
    func encode(_ value: Bool) { append(.bool(value)) }
    func encode(_ value: String) { append(.string(value)) }
    func encode(_ value: Double) throws { append(try JSONForm.number(value, at: place)) }
    func encode(_ value: Float) throws { append(try JSONForm.number(value, at: place)) }
    func encode(_ value: Int) { append(.int(Int64(value))) }
    func encode(_ value: Int8) throws { try appendNumber(value) }
    func encode(_ value: Int16) throws { try appendNumber(value) }
    func encode(_ value: Int32) throws { try appendNumber(value) }
    func encode(_ value: Int64) { append(.int(Int64(value))) }
    func encode(_ value: Int128) throws { try appendNumber(value) }
    func encode(_ value: UInt) throws { try appendNumber(value) }
    func encode(_ value: UInt8) throws { try appendNumber(value) }
    func encode(_ value: UInt16) throws { try appendNumber(value) }
    func encode(_ value: UInt32) throws { try appendNumber(value) }
    func encode(_ value: UInt64) throws { try appendNumber(value) }
    func encode(_ value: UInt128) throws { try appendNumber(value) }

    func encode<T: Encodable>(_ value: T) throws {
        array.elements.append(try encoder.node(of: value, at: place))
    }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
        let inner = EncodedObject()
        let path = place
        array.elements.append(.object(inner))
        return KeyedEncodingContainer(ObjectEncodingContainer<Inner>(inner, of: encoder, at: path))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let inner = EncodedArray()
        let path = place
        array.elements.append(.array(inner))
        return ArrayEncodingContainer(inner, of: encoder, at: path)
    }

    func superEncoder() -> any Encoder {
        let inner = encoder.inner(at: place)
        array.elements.append(.encoder(inner))
        return inner
    }
}
