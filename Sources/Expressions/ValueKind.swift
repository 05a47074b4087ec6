/// The kind of a canonical JSON text, in CouchDB's view order.
enum ValueKind: UInt8, Sendable {
    case null
    case `false`
    case `true`
    case number
    case string
    case array
    case object

    /// Reads the kind from the first byte. Nil for a byte that begins no value.
    init?(_ text: RawSpan) {
        guard text.byteCount > 0 else { return nil }
        switch unsafe text.unsafeLoad(fromByteOffset: 0, as: UInt8.self) {
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "f"): self = .false
        case UInt8(ascii: "t"): self = .true
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "{"): self = .object
        default: return nil
        }
    }

    /// Whether values of both kinds have one type: true and false are the kinds of one.
    func isSameType(as other: ValueKind) -> Bool {
        self == other || isBoolean && other.isBoolean
    }

    private var isBoolean: Bool { self == .false || self == .true }

    /// The position of the kind in CouchDB's raw order, which is the order of Erlang's terms.
    var rawRank: Int {
        switch self {
        case .number: 0
        case .false: 1
        case .null: 2
        case .true: 3
        case .object: 4
        case .array: 5
        case .string: 6
        }
    }

    /// The kinds that `$type` means by a name; none for a name that is no type.
    static func named(_ type: String) -> [ValueKind] {
        let names: [(String, [ValueKind])] = [
            ("null", [.null]), ("boolean", [.false, .true]), ("number", [.number]), ("string", [.string]),
            ("array", [.array]), ("object", [.object]),
        ]
        return names.first { $0.0.utf8.elementsEqual(type.utf8) }?.1 ?? []
    }
}
