internal import SetteeDocumentValues
internal import StorageProtocol

/// Encodes a single value.
struct ScalarEncodingContainer: SingleValueEncodingContainer {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func set(_ value: JSONValue) { encoder.set(.value(value)) }

    private func setNumber<T: FixedWidthInteger & Sendable>(_ value: T) throws {
        set(try JSONForm.number(value, at: encoder.path))
    }

    func encodeNil() { set(.null) }
    func encode(_ value: Bool) { set(.bool(value)) }
    func encode(_ value: String) { set(.string(value)) }
    func encode(_ value: Double) throws { set(try JSONForm.number(value, at: encoder.path)) }
    func encode(_ value: Float) throws { set(try JSONForm.number(value, at: encoder.path)) }
    func encode(_ value: Int) throws { try setNumber(value) }
    func encode(_ value: Int8) throws { try setNumber(value) }
    func encode(_ value: Int16) throws { try setNumber(value) }
    func encode(_ value: Int32) throws { try setNumber(value) }
    func encode(_ value: Int64) throws { try setNumber(value) }
    func encode(_ value: Int128) throws { try setNumber(value) }
    func encode(_ value: UInt) throws { try setNumber(value) }
    func encode(_ value: UInt8) throws { try setNumber(value) }
    func encode(_ value: UInt16) throws { try setNumber(value) }
    func encode(_ value: UInt32) throws { try setNumber(value) }
    func encode(_ value: UInt64) throws { try setNumber(value) }
    func encode(_ value: UInt128) throws { try setNumber(value) }
    func encode<T: Encodable>(_ value: T) throws { encoder.set(try encoder.node(of: value, at: encoder.path)) }
}
