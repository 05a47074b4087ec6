/// A member's name as its bytes: `String` takes composed and decomposed forms for one.
struct MemberName: Hashable, Sendable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (a: MemberName, b: MemberName) -> Bool { a.string.utf8.elementsEqual(b.string.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
