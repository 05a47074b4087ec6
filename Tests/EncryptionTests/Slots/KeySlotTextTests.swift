import Foundation
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// There is one text for each slot, and everything else is refused.
@Suite struct KeySlotTextTests {
    private func read(_ text: String) -> KeySlot.Reading { KeySlot.read(Array(text.utf8)) }

    private func slot(_ text: String) throws -> KeySlot {
        guard case .slot(let slot) = read(text) else {
            Issue.record("no slot: \(text)")
            throw CancellationError()
        }
        return slot
    }

    @Test func knownTextsAreRead() throws {
        #expect(try slot(KnownSlots.scrypt).derivation == .passphrase(.scrypt(n: 16_384, r: 8, p: 1)))
        #expect(try slot(KnownSlots.pbkdf2).derivation == .passphrase(.pbkdf2(rounds: 10_000)))
        #expect(try slot(KnownSlots.raw).derivation == .raw)
        for text in KnownSlots.all {
            let slot = try slot(text)
            #expect(slot.text == Array(text.utf8))
            #expect(slot.salt == (0..<16).map { UInt8($0) })
            #expect(slot.wrapped.count == 60 && slot.wrapped[..<12].elementsEqual(0x40..<0x4C))
            let bound = KeySlot.boundText(slot.derivation, salt: slot.salt)
            #expect(slot.text[..<slot.boundCount].elementsEqual(bound))
            #expect(KeySlot(slot.derivation, salt: slot.salt, bound: bound, wrapped: slot.wrapped) == slot)
        }
    }

    /// Each differs from a slot in one place, and most JSON parsers would take it.
    @Test(arguments: [
        (#""n":16384"#, #""n":016384"#), (#""n":16384"#, #""n":+16384"#), (#""n":16384"#, #""n":16384.0"#),
        (#""n":16384"#, #""n":1.6384e4"#), (#""n":16384"#, #""n":-16384"#), (#""n":16384"#, #""n":"16384""#),
        (#""n":16384"#, #""n":"#), (#""n":16384"#, #""n": 16384"#), (#""n":16384"#, #""n" :16384"#),
        (#""n":16384,"r":8"#, #""r":8,"n":16384"#), (#""n":16384,"#, ""), (#""p":1"#, #""p":1,"p":1"#),
        (#""p":1"#, #""p":1,"x":1"#), (#"{"kdf""#, #"{ "kdf""#), (#"{"kdf":"scrypt","#, "{"),
        (#""kdf""#, #""\u006bdf""#),
        ("scrypt", #"s\u0063rypt"#), ("scrypt", "Scrypt"), ("scrypt", ""), (#""salt":"AAEC"#, #""salt":"AAE"#),
        ("ODw==", "ODw="), ("ODw==", "ODw"), ("ODw==", "ODx=="), ("ODw==", "ODwA"), ("ODw==", "ODwAAAA="),
        ("AAEC", "AA EC"),
        ("AAEC", #"AAE\n"#), ("AAEC", "AAE-"), ("eU\"}", "eU=\"}"), ("eU\"}", "eU\"} "), ("eU\"}", "eU\"}}"),
        ("eU\"}", "eU\""), ("eU\"}", "eU\",\"x\":1}"), ("eU\"}", "e\"}"), ("eU\"}", "\"}"),
        (#"","wrapped"#, #"" ,"wrapped"#),
        (#","wrapped":"#, #","sealed":"#), ("QEFC", "QEF\u{0}"), ("QEFC", "QEFé"),
    ])
    func otherTextsAreNone(old: String, new: String) throws {
        try #require(KnownSlots.scrypt.contains(old))
        let text = KnownSlots.scrypt.replacing(old, with: new)
        #expect(read(text) == .malformed, "\(text)")
    }

    @Test func emptyAndCutTextsAreNone() {
        for text in KnownSlots.all {
            for count in 0..<text.utf8.count {
                #expect(KeySlot.read(Array(text.utf8.prefix(count))) == .malformed)
            }
        }
        for text in ["", "{}", "[]", "null", "7", #""raw""#, #"{"kdf":"raw"}"#, #"{"kdf":7}"#] {
            #expect(read(text) == .malformed, "\(text)")
        }
    }

    @Test func unknownDerivationsAreToldApart() {
        for text in [
            #"{"kdf":"argon2id","m":65536,"t":3,"salt":"AAECAwQFBgcICQoLDA0ODw==","wrapped":"AA"}"#, #"{"kdf":"x"}"#,
            KnownSlots.scrypt.replacing("scrypt", with: "scrypt-2"),
            KnownSlots.pbkdf2.replacing("pbkdf2-sha512", with: "pbkdf2"),
        ] {
            #expect(read(text) == .unknownDerivation, "\(text)")
        }
        #expect(read(#"{"kdf":"argon2id","m":1"#) == .malformed)
    }

    @Test func costsOutOfRangeAreToldApart() throws {
        for (n, r, p, isAllowed) in [
            ("16384", "8", "1", true), ("8192", "8", "1", false), ("16385", "8", "1", false),
            ("1048576", "2", "1", true),
            ("1048576", "2", "2", false), ("2097152", "1", "1", false), ("0", "8", "1", false),
            ("16384", "0", "1", false),
            ("16384", "16", "4", true), ("16384", "17", "1", false), ("16384", "8", "0", false),
            ("16384", "8", "4", true),
            ("16384", "8", "5", false), ("32768", "1", "1", true), ("65536", "1", "1", false),
            ("131072", "16", "1", true),
            ("131072", "16", "2", false), ("18446744073709551616", "8", "1", false),
            ("9223372036854775808", "8", "1", false),
            (String(repeating: "9", count: 1000), "8", "1", false), ("16384", "100000000000000000000", "1", false),
            ("1" + String(repeating: "0", count: 20) + "16384", "8", "1", false),
        ] {
            let text = KnownSlots.scrypt.replacing(#""n":16384,"r":8,"p":1"#, with: #""n":\#(n),"r":\#(r),"p":\#(p)"#)
            if isAllowed {
                #expect(try slot(text).derivation == .passphrase(.scrypt(n: Int(n)!, r: Int(r)!, p: Int(p)!)))
            } else {
                #expect(read(text) == .costOutOfRange, "\(text)")
            }
        }
        for (rounds, isAllowed) in [
            ("9999", false), ("10000", true), ("5000000", true), ("5000001", false), ("4294967296", false),
            ("4294977296", false), ("0", false),
        ] {
            let text = KnownSlots.pbkdf2.replacing(#""rounds":10000"#, with: #""rounds":\#(rounds)"#)
            if isAllowed {
                #expect(try slot(text).derivation == .passphrase(.pbkdf2(rounds: Int(rounds)!)))
            } else {
                #expect(read(text) == .costOutOfRange, "\(text)")
            }
        }
    }
}
