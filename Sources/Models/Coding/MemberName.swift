/// A member's name, compared by its bytes: `String` treats composed and decomposed forms as equal.
struct MemberName: Hashable, Sendable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (a: MemberName, b: MemberName) -> Bool { a.string.utf8.elementsEqual(b.string.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
