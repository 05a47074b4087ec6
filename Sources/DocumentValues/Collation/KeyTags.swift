/// The first byte of each value in a collation key. Numbers share `numbers` in both orders: see `KeyNumber`.
package struct KeyTags: Sendable {
    package let null: UInt8
    package let `false`: UInt8
    package let `true`: UInt8
    package let string: UInt8
    package let array: UInt8
    package let object: UInt8
    package static let numbers: ClosedRange<UInt8> = 0x0E...0x92

    /// Ends an array or object, and sorts below every value.
    static let end: UInt8 = 0x00

    static let unicode = KeyTags(null: 0x02, false: 0x03, true: 0x04, string: 0xA6, array: 0xA7, object: 0xA8)
    static let raw = KeyTags(null: 0xA2, false: 0xA1, true: 0xA3, string: 0xA6, array: 0xA5, object: 0xA4)

    /// Whether a value with this first byte extends to an `end` of its own.
    static func opensContainer(_ tag: UInt8) -> Bool {
        tag == unicode.array || tag == unicode.object || tag == raw.array || tag == raw.object
    }
}
