internal import SetteeDocumentValues

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().utf8.filter { $0 != UInt8(ascii: "=") }
        return String(decoding: text.map(exchange), as: UTF8.self)
    }

    /// Nil for other texts, also for padded ones.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        // No white space, either: a token has one text only.
        guard text.allSatisfy({ $0 > UInt8(ascii: " ") && !"+/=".utf8.contains($0) }) else { return nil }
        let padding = Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        return Base64.decode((text.map(exchange) + padding).span)
    }

    /// Turns the two characters in which the alphabets differ into those of the other one.
    private static func exchange(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }
}
