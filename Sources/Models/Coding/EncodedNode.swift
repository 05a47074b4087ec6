internal import SetteeDocumentValues
internal import StorageProtocol

/// The output of an encoder so far. Containers are shared, because they may still be written to.
enum EncodedNode {
    case value(JSONValue)
    case object(EncodedObject)
    case array(EncodedArray)
    /// The encoder from a `superEncoder` call, which may not have written yet.
    case encoder(ValueEncoder)

    func value() throws -> JSONValue {
        switch self {
        case .value(let value): value
        case .object(let object): .object(try object.members())
        case .array(let array): .array(try array.elements.map { try $0.value() })
        case .encoder(let encoder): try encoder.finish().value()
        }
    }

    /// The members that the types declare; nil if this is not an object.
    func declared() -> DeclaredMembers? {
        switch self {
        case .object(let object): object.declared()
        case .encoder(let encoder): (try? encoder.finish())?.declared()
        case .value, .array: nil
        }
    }
}

/// An object being encoded.
final class EncodedObject {
    private(set) var written: [(name: String, node: EncodedNode)] = []
    /// Declared members that are nil.
    private(set) var absent: [String] = []

    func set(_ name: String, _ node: EncodedNode) { written.append((name, node)) }

    func leaveOut(_ name: String) { absent.append(name) }

    /// Returns the last node written for `name`.
    func node(_ name: String) -> EncodedNode? {
        written.last { $0.name.utf8.elementsEqual(name.utf8) }?.node
    }

    func members() throws -> JSONObject {
        JSONObject(try written.map { ($0.name, try $0.node.value()) })
    }

    func declared() -> DeclaredMembers {
        var declared = DeclaredMembers()
        for (name, node) in written { declared.declare(name, node.declared()) }
        for name in absent { declared.declare(name) }
        return declared
    }
}

/// An array being encoded.
final class EncodedArray {
    var elements: [EncodedNode] = []
}
