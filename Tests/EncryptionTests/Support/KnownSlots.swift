import SetteeEncryption
import StorageProtocol

/// The lowest cost that a slot for a passphrase may have.
let cheap = KeyCost.pbkdf2(rounds: 10_000)

/// Slots that were made with Python's hashlib and cryptography according to docs/guide/encryption.md. All wrap the
/// bytes 0x80 to 0x9F; the raw one for the bytes 0xE0 to 0xFF, the others for "Größe 7".
enum KnownSlots {
    static let passphrase = "Größe 7"
    static let scrypt = #"""
        {"kdf":"scrypt","n":16384,"r":8,"p":1,"salt":"AAECAwQFBgcICQoLDA0ODw==","wrapped":"\#
        QEFCQ0RFRkdISUpLQcnn6T6wqMt2uIKk/GHBXbz8XPRDCpM29tPjdz8A+lowSFJG5zM+7rXm5GEMu1eU"}
        """#
    static let pbkdf2 = #"""
        {"kdf":"pbkdf2-sha512","rounds":10000,"salt":"AAECAwQFBgcICQoLDA0ODw==","wrapped":"\#
        QEFCQ0RFRkdISUpLUx3udcgWUasilSnddCMN4k+ipIh+E9IzDoh4e9+981T9xLBB3eeClelJQLwPFDte"}
        """#
    static let raw = #"""
        {"kdf":"raw","salt":"AAECAwQFBgcICQoLDA0ODw==","wrapped":"\#
        QEFCQ0RFRkdISUpLEgC0uTf58IQLXS+pQzZb7p741Di8NLojNZccny00Z18UCHsp/63/E1G9B7ptzcCa"}
        """#
    static let all = [scrypt, pbkdf2, raw]

    static func key(for text: String) throws -> StorageKey {
        try text == raw ? rawKey(0xE0) : StorageKey(passphrase: passphrase)
    }
}
