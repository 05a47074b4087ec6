/// Records an impossible assignment through a subscript, because subscripts cannot throw. It is stored in the value as
/// a NaN that arithmetic does not produce, so that writing the value as text can report what happened.
enum JSONMisplacement: UInt64, CaseIterable {
    case memberOfNoObject = 1
    case elementOfNoArray
    case elementOutOfBounds
    case tooDeep

    private static let signature: UInt64 = 0x7FF8_5E77_EE00_0000

    init?(_ number: Double) {
        guard number.bitPattern & ~0xFF == JSONMisplacement.signature else { return nil }
        self.init(rawValue: number.bitPattern & 0xFF)
    }

    var value: JSONValue { .double(Double(bitPattern: JSONMisplacement.signature | rawValue)) }

    var message: String {
        switch self {
        case .memberOfNoObject:
            "A member was set in a value that is no object. Set an object there first, or remove the value."
        case .elementOfNoArray:
            "An element was set in a value that is no array. Set an array there first, or remove the value."
        case .elementOutOfBounds:
            "An element was set beyond the end of an array. The index behind the last element adds one."
        case .tooDeep:
            "A place deeper than \(JSONLimits.depth) levels was set. Flatten the document."
        }
    }
}
