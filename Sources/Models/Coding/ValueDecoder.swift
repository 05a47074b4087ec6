internal import Foundation
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The decoder passed to a value.
struct ValueDecoder: Decoder {
    let json: JSONValue
    /// The path without `key`. The whole path is made only on demand, because most values never need it.
    private let parent: CodingPath?
    private let key: (any CodingKey)?
    private let info: [CodingUserInfoKey: any Sendable]
    /// Records the requested members; nil if they are not needed.
    let recorder: MemberRecorder?
    /// The database's own members, if this is a document.
    var special: SpecialMembers?

    init(
        _ json: JSONValue,
        parent: CodingPath?,
        key: (any CodingKey)?,
        userInfo: [CodingUserInfoKey: any Sendable],
        recorder: MemberRecorder?
    ) {
        self.json = json
        self.parent = parent
        self.key = key
        info = userInfo
        self.recorder = recorder
    }

    private var path: CodingPath? {
        guard let key else { return parent }
        return CodingPath(parent, key)
    }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { info }

    /// Returns a decoder for a part of the value that this decoder, a container's, decodes.
    func inner(_ json: JSONValue, _ key: some CodingKey, recorder: MemberRecorder? = nil) -> ValueDecoder {
        ValueDecoder(json, parent: parent, key: key, userInfo: info, recorder: recorder)
    }

    /// This decoder in the form that a container keeps, with its path made only once.
    private var ofContainer: ValueDecoder {
        var decoder = ValueDecoder(json, parent: path, key: nil, userInfo: info, recorder: recorder)
        decoder.special = special
        return decoder
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = json else { throw mismatch([String: JSONValue].self, "an object") }
        return KeyedDecodingContainer(ObjectDecodingContainer<Key>(object, of: ofContainer))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch([JSONValue].self, "an array") }
        return ArrayDecodingContainer(elements, of: ofContainer)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { ScalarDecodingContainer(self) }

    // MARK: - Values

    func value<T: Decodable>(_ type: T.Type) throws -> T {
        if T.self == String.self, let value = try text() as? T { return value }
        if T.self == Date.self, let value = try date() as? T { return value }
        if T.self == Data.self, let value = try data() as? T { return value }
        if T.self == Decimal.self, let value = try decimal() as? T { return value }
        if T.self == URL.self, let value = try url() as? T { return value }
        if T.self == JSONValue.self, let value = json as? T { return value }
        if T.self == JSONObject.self, let object = json.objectValue, let value = object as? T {
            recorder?.isOpen = true
            return value
        }
        guard parent.depth < CodingPath.maximumDepth else {
            throw corrupted("A document is nested at most 512 levels deep.")
        }
        return try type.init(from: self)
    }

    func bool() throws -> Bool {
        guard case .bool(let value) = json else { throw mismatch(Bool.self, "true or false") }
        return value
    }

    func text() throws -> String {
        guard case .string(let value) = json else { throw mismatch(String.self, "a string") }
        return value
    }

    func double() throws -> Double {
        guard let value = json.doubleValue else { throw mismatch(Double.self, "a number") }
        return value
    }

    func float() throws -> Float {
        let value = Float(try double())
        guard value.isFinite else { throw corrupted("The number does not fit into a Float.") }
        return value
    }

    func number<T: FixedWidthInteger & Sendable>() throws -> T {
        let fitting: T?
        switch json {
        case .int(let value): fitting = T(exactly: value)
        case .uint(let value): fitting = T(exactly: value)
        case .longInteger(let value): fitting = T(value.description)
        case .double(let value): fitting = T(exactly: value)
        default: throw mismatch(T.self, "a number")
        }
        guard let fitting else { throw corrupted("The number does not fit into \(T.self).") }
        return fitting
    }

    private func date() throws -> Date {
        let text = try text()
        let date: Date
        do throws(ISO8601.Fault) {
            date = try ISO8601.parse(text)
        } catch {
            throw corrupted("The text is no ISO-8601 date. \(error.explanation)")
        }
        return date
    }

    private func data() throws -> Data {
        guard let bytes = Base64.decode(try text()) else { throw corrupted("The text is not base64.") }
        return Data(bytes)
    }

    private func decimal() throws -> Decimal {
        switch json {
        case .string, .int, .uint, .longInteger, .double: break
        default: throw mismatch(Decimal.self, "a decimal number as text or a number")
        }
        guard let decimal = json.decimalValue else {
            throw corrupted("This is no decimal number, or one with more digits than a Decimal holds.")
        }
        return decimal
    }

    private func url() throws -> URL {
        guard let url = URL(string: try text()) else { throw corrupted("The text is no URL.") }
        return url
    }

    // MARK: - Errors

    private func mismatch<T>(_ type: T.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "\(expected) is needed, and there is \(json.kind)."
        )
        return json.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func corrupted(_ why: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: why))
    }
}

extension JSONValue {
    /// The kind of value, in words.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .int, .uint, .longInteger, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
