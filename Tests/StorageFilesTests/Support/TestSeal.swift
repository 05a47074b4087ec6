import Crypto
import SetteeStorageFiles
import StorageProtocol

/// Makes MACs with a key of one byte, and chooses the copy of the highest serial whose MAC it has made.
struct TestSeal: ManifestSealing {
    var key: UInt8 = 1

    func code(of text: ArraySlice<UInt8>) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(
            for: text,
            using: SymmetricKey(data: [UInt8](repeating: key, count: 32))
        )
        return Array(code.map { String(Int($0) + 0x100, radix: 16).suffix(2) }.joined().utf8)
    }

    func choose(_ found: DatabaseFolder.Reading) throws(StorageError) -> DatabaseFolder.Choice {
        let genuine = found.copies.first { $0.code.map(Array.init) == code(of: $0.sealedText) }
        guard let genuine else { throw StorageError(.unauthorized, "no") }
        return DatabaseFolder.Choice(genuine, seal: self)
    }
}
