import SetteeEncryption
import StorageProtocol
import Testing

/// Subkeys of a data key of the bytes 0x80 to 0x9F, by Python's cryptography (HKDF) and hmac.
@Suite struct DataKeyTests {
    private func dataKey() throws -> DataKey { try DataKey(rawKey(0x80)) }

    @Test func subkeysAreThoseOfTheTable() throws {
        let key = try dataKey()
        let salt = (0..<16).map { UInt8($0) }
        let found = try [
            key.pageKey(salt: salt), key.manifestKey(databaseUUID: "6f1c1e2a-7c52-4b0e-9d5f-0a1b2c3d4e5f"), key.blobKey,
            key.nameKey,
        ]
        #expect(
            found.map { hexadecimal(bytes(of: $0)) } == [
                "d3e8981cae50e43d385ca418266823d56b7589ecb650071475d0bdbdda5b44ea",
                "21e5bb612633db5931074fb3ca1dfe15389dee8a9873c1dd3a8a26f23a74a57c",
                "91c533c3e093ed0d251481fb27cebe9d1b97867cfd397531d80bff016bc38c62",
                "467b4965675563013069ce1d100e34c77bbaa6fb67a7479533109b6815eab5eb",
            ]
        )
    }

    @Test func newOnesDiffer() throws {
        let keys = try (0..<100).map { _ in try bytes(of: DataKey().blobKey) }
        #expect(Set(keys).count == keys.count)
    }

    @Test func aPassphraseIsNone() throws {
        let error = #expect(throws: StorageError.self) {
            try DataKey(StorageKey(passphrase: String(repeating: "x", count: 32)))
        }
        #expect(error?.code == .badParameter)
    }

    @Test func nothingTellsWhatItIs() throws {
        let key = try DataKey(StorageKey(bytes: [UInt8](repeating: 0x61, count: 32).span.bytes))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("aaa") && !text.contains("97") && !text.contains("6161"), "\(text)")
        }
    }
}
