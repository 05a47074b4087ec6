import Crypto
import SetteeEncryption
import StorageProtocol
import Testing

@Suite struct SubkeyTests {
    private func key(_ byte: UInt8) throws -> StorageKey {
        try StorageKey(bytes: [UInt8](repeating: byte, count: 32).span.bytes)
    }

    @Test func subkeysDifferByKeyPurposeAndSalt() throws {
        var found: [StorageKey] = []
        for byte in [1, 2] as [UInt8] {
            for purpose in KeyPurpose.allCases {
                for salt in [[], [1], [2]] as [[UInt8]] {
                    let subkey = try key(byte).subkey(for: purpose, salt: salt)
                    #expect(try subkey == key(byte).subkey(for: purpose, salt: salt))
                    #expect(!found.contains(subkey))
                    found.append(subkey)
                }
            }
        }
    }

    @Test func aSubkeyIsHKDFWithThePurposeAsInfo() throws {
        let expected = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 7, count: 32)),
            salt: [1, 2, 3],
            info: Array("settee 1 pages".utf8),
            outputByteCount: 32
        )
        let found = try key(7).subkey(for: .pages, salt: [1, 2, 3])
        let bytes = found.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
        #expect(bytes == expected.withUnsafeBytes { Array($0) })
    }
}
