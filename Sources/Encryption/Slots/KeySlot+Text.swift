internal import Foundation
internal import StorageProtocol

extension KeySlot {
    /// The result of reading a text.
    package enum Reading: Sendable, Equatable {
        case slot(KeySlot)
        /// A slot with a derivation that this version does not support.
        case unknownDerivation
        /// A slot for a passphrase that requires more, or less, work than is allowed.
        case costOutOfRange
        /// Not a slot.
        case malformed
    }

    private static let sealing = #"","wrapped":""#

    /// Reads a text of any bytes. Derives nothing.
    ///
    /// - Complexity: O(*n*) in the text's length.
    package static func read(_ text: [UInt8]) -> Reading {
        var scanner = SlotScanner(text[...])
        guard scanner.take(#"{"kdf":""#), let name = scanner.name(), scanner.take(#"""#) else { return .malformed }
        let derivation: Derivation
        switch name {
        case "raw":
            derivation = .raw
        case "scrypt":
            guard let n = scanner.member("n"), let r = scanner.member("r"), let p = scanner.member("p") else {
                return .malformed
            }
            derivation = .passphrase(.scrypt(n: n, r: r, p: p))
        case "pbkdf2-sha512":
            guard let rounds = scanner.member("rounds") else { return .malformed }
            derivation = .passphrase(.pbkdf2(rounds: rounds))
        default:
            return scanner.rest.last == UInt8(ascii: "}") ? .unknownDerivation : .malformed
        }
        guard scanner.take(#","salt":""#), let salt = scanner.base64(saltLength) else { return .malformed }
        let boundCount = scanner.rest.startIndex + 1
        guard scanner.take(sealing), let wrapped = scanner.base64(wrappedLength), scanner.take(#""}"#),
            scanner.rest.isEmpty
        else { return .malformed }
        if case .passphrase(let cost) = derivation, !cost.isAllowed { return .costOutOfRange }
        return .slot(
            KeySlot(derivation: derivation, text: text, salt: salt, wrapped: wrapped, boundCount: boundCount)
        )
    }

    /// Returns the text before `,"wrapped"`.
    static func boundText(_ derivation: Derivation, salt: [UInt8]) -> [UInt8] {
        let costs =
            switch derivation {
            case .raw: #""raw""#
            case .passphrase(.scrypt(let n, let r, let p)): #""scrypt","n":\#(n),"r":\#(r),"p":\#(p)"#
            case .passphrase(.pbkdf2(let rounds)): #""pbkdf2-sha512","rounds":\#(rounds)"#
            }
        return Array(#"{"kdf":\#(costs),"salt":"\#(Data(salt).base64EncodedString())""#.utf8)
    }

    init(_ derivation: Derivation, salt: [UInt8], bound: [UInt8], wrapped: [UInt8]) {
        self.derivation = derivation
        self.salt = salt
        self.wrapped = wrapped
        boundCount = bound.count
        text = bound + Array(#","wrapped":"\#(Data(wrapped).base64EncodedString())"}"#.utf8)
    }
}

/// Parses a slot's text from its beginning. Each call either consumes what it describes or leaves the rest unchanged.
private struct SlotScanner {
    private(set) var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    mutating func take(_ literal: String) -> Bool {
        guard rest.starts(with: literal.utf8) else { return false }
        rest = rest.dropFirst(literal.utf8.count)
        return true
    }

    /// A name of lower-case letters, digits and hyphens.
    mutating func name() -> String? {
        let name = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard !name.isEmpty else { return nil }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    /// The number of a member, without sign or leading zeros. One that is too large for an `Int` becomes the largest
    /// `Int`.
    mutating func member(_ name: String) -> Int? {
        guard take(#",""# + name + #"":"#) else { return nil }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        rest = rest[digits.endIndex...]
        return Int(String(decoding: digits.prefix(20), as: UTF8.self)) ?? .max
    }

    /// The given number of bytes in the only valid Base64 form.
    mutating func base64(_ count: Int) -> [UInt8]? {
        let text = rest.prefix((count + 2) / 3 * 4)
        // Encoded again for comparison, because decoders accept more than one form: other last bits, other padding.
        guard let bytes = Data(base64Encoded: Data(text)), bytes.count == count,
            bytes.base64EncodedData().elementsEqual(text)
        else { return nil }
        rest = rest[text.endIndex...]
        return Array(bytes)
    }
}
