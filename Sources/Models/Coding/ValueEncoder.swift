internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol

/// The encoder passed to a value. Holds what the value has written.
final class ValueEncoder: Encoder {
    let path: CodingPath?
    private let info: [CodingUserInfoKey: any Sendable]
    private var node: EncodedNode?
    /// Containers of two kinds were requested. Requests for containers cannot fail, so `finish` does.
    private var isContradictory = false

    init(path: CodingPath?, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.path = path
        info = userInfo
    }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { info }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectEncodingContainer<Key>(object(), of: self, at: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayEncodingContainer(array(), of: self, at: path) }

    func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncodingContainer(self) }

    private func object() -> EncodedObject {
        if case .object(let object)? = node { return object }
        let fresh = EncodedObject()
        set(.object(fresh))
        return fresh
    }

    private func array() -> EncodedArray {
        if case .array(let array)? = node { return array }
        let fresh = EncodedArray()
        set(.array(fresh))
        return fresh
    }

    func set(_ node: EncodedNode) {
        if self.node != nil { isContradictory = true }
        self.node = node
    }

    /// Returns what was written; an empty object if nothing was.
    func finish() throws -> EncodedNode {
        guard !isContradictory else {
            throw EncodingError.invalidValue(
                JSONValue.null,
                .init(codingPath: codingPath, debugDescription: "The type encodes itself in two ways at once.")
            )
        }
        return node ?? .value(.object([:]))
    }

    /// Returns an encoder for a part of this encoder's value.
    func inner(at path: CodingPath?) -> ValueEncoder { ValueEncoder(path: path, userInfo: info) }

    /// Returns the form of `value`, whose path is `place`.
    func node<T: Encodable>(of value: T, at place: @autoclosure () -> CodingPath?) throws -> EncodedNode {
        if let special = try JSONForm.special(value, at: place()) { return .value(special) }
        let path = place()
        guard path.depth < CodingPath.maximumDepth else {
            throw EncodingError.invalidValue(
                JSONValue.null,
                .init(codingPath: path.keys, debugDescription: "A document is nested at most 512 levels deep.")
            )
        }
        let encoder = inner(at: path)
        try value.encode(to: encoder)
        return try encoder.finish()
    }
}
