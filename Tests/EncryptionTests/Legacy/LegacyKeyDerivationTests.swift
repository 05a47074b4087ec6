import SetteeEncryption
import StorageProtocol
import Testing

/// Keys that Couchbase Lite 1.x derived from passwords; also computed with Python's hashlib.
@Suite struct LegacyKeyDerivationTests {
    @Test(arguments: [
        (LegacyKeyDerivation.sha256, "letmein", "6a9bd780221f4fe8a594fc728a94ba633b882983fe5613db427bb61242bfef0f"),
        (.sha256, "123456", "b5e7f251f32028a3cf3ea8a69509a2428a380882a25ab9c00054bc9b6dd43c0c"),
        (.sha1, "letmein", "c66c9a3d66dfa2f8b9420b0379fd1b80928d8d74501e12dd5bc453a7a9a748ab"),
        (.sha1, "123456", "17c8fa2cab3e7bfca2e3a3e52689efbca0c784ccfef82c9e878f2dfc9a3ccb39"),
    ])
    func keysOfPasswords(derivation: LegacyKeyDerivation, password: String, expected: String) throws {
        let key = try derivation.key(from: StorageKey(passphrase: password))
        #expect(key.kind == .raw)
        #expect(hexadecimal(bytes(of: key)) == expected)
    }

    @Test(arguments: LegacyKeyDerivation.allCases)
    func aRawKeyIsTheFilesAlready(derivation: LegacyKeyDerivation) throws {
        #expect(try derivation.key(from: rawKey(1)) == rawKey(1))
    }
}
