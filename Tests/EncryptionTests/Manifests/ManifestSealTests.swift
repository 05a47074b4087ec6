import SetteeEncryption
import StorageProtocol
import Testing

@Suite struct ManifestSealTests {
    private func seal(_ first: UInt8, uuid: String = "6f1c1e2a-7c52-4b0e-9d5f-0a1b2c3d4e5f") throws -> ManifestSeal {
        try ManifestSeal(DataKey(rawKey(first)).manifestKey(databaseUUID: uuid))
    }

    /// By Python's hmac, of the data key with the bytes 0x80 to 0x9F.
    @Test func theCodeIsHMAC() throws {
        let text = Array(#"{"format":"settee""#.utf8)
        let code = try seal(0x80).code(of: text[...])
        #expect(
            String(decoding: code, as: UTF8.self) == "e8d58c7fc2813f5b86779ae969269f21b6973895bc522a28a03c8d3bba2c5137"
        )
        #expect(code.count == ManifestSeal.codeLength)
        #expect(try seal(0x80).matches(code, text: text[...]))
        #expect(try seal(0x80).code(of: ([0] + text + [0])[1...text.count]) == code)
    }

    @Test func onlyItsOwnCodeMatches() throws {
        let text = Array(#"{"format":"settee","serial":7"#.utf8)
        let seal = try seal(0x80)
        let code = seal.code(of: text[...])
        for index in code.indices {
            var other = code
            other[index] ^= 1
            #expect(!seal.matches(other, text: text[...]))
        }
        for index in text.indices {
            var other = text
            other[index] ^= 1
            #expect(!seal.matches(code, text: other[...]))
        }
        let upper = Array(String(decoding: code, as: UTF8.self).uppercased().utf8)
        for other in [[], Array(code.dropLast()), code + [UInt8(ascii: "0")], upper] {
            #expect(!seal.matches(other, text: text[...]))
        }
        #expect(try !self.seal(0x81).matches(code, text: text[...]))
        #expect(try !self.seal(0x80, uuid: "another").matches(code, text: text[...]))
    }
}
