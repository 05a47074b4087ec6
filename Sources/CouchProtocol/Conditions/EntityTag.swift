/// The version of what a URL names (RFC 9110, section 8.8.3): a document's revision, an attachment's digest, a state.
public struct EntityTag: Equatable, Sendable {
    /// What stands between the quotes.
    public let text: String
    public let isWeak: Bool

    /// Takes a text. Quotes, and characters that no tag may have, become underscores.
    public init(_ text: String, isWeak: Bool = false) {
        let bytes = text.utf8.map { byte in
            let isAllowed = byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
            return isAllowed ? byte : UInt8(ascii: "_")
        }
        self.text = String(decoding: bytes, as: UTF8.self)
        self.isWeak = isWeak
    }

    /// The tag as a header has it: `"1-abc"`, or `W/"1-abc"`.
    public var header: String { (isWeak ? "W/\"" : "\"") + text + "\"" }

    public static func == (a: EntityTag, b: EntityTag) -> Bool { a.isWeak == b.isWeak && ASCII.isSame(a.text, b.text) }
}
