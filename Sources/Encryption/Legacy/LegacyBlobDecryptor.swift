internal import Crypto
internal import CryptoExtras
internal import Foundation
package import StorageProtocol

/// Decrypts the content of an attachment that was encrypted by Couchbase Lite 1.x: 16 bytes of initialisation vector,
/// then AES-256-CBC with PKCS#7 padding. Nothing in it shows whether the key is right: the caller compares the
/// content's digest.
package struct LegacyBlobDecryptor {
    private static let block = 16

    private let key: SymmetricKey
    /// The block before the next one to be decrypted; initially the initialisation vector.
    private var previous: [UInt8] = []
    /// Bytes that have not been decrypted yet. The last block waits for the end, where its padding is removed.
    private var pending: [UInt8] = []

    /// - Throws: `badParameter` (495) for a passphrase: derive a key from it with `LegacyKeyDerivation`.
    package init(key: StorageKey) throws(StorageError) {
        guard key.kind == .raw else {
            throw StorageError(.badParameter, "The contents of attachments are decrypted with raw keys.")
        }
        self.key = key.symmetric
    }

    /// Decrypts the next bytes of the file, and returns what can be decrypted so far.
    ///
    /// - Throws: `corrupt` (591).
    package mutating func decrypt(_ bytes: [UInt8]) throws(StorageError) -> [UInt8] {
        pending += bytes
        if previous.isEmpty {
            guard pending.count >= LegacyBlobDecryptor.block else { return [] }
            previous = Array(pending.prefix(LegacyBlobDecryptor.block))
            pending.removeFirst(LegacyBlobDecryptor.block)
        }
        let whole = max(0, (pending.count - 1) / LegacyBlobDecryptor.block) * LegacyBlobDecryptor.block
        guard whole > 0 else { return [] }
        return try decrypt(first: whole)
    }

    /// Returns the rest, without the padding.
    ///
    /// - Throws: `corrupt` (591) if the file's length or padding is wrong.
    package mutating func finish() throws(StorageError) -> [UInt8] {
        guard !previous.isEmpty, pending.count == LegacyBlobDecryptor.block else { throw LegacyBlobDecryptor.damaged }
        let last = try decrypt(first: LegacyBlobDecryptor.block)
        guard let count = last.last.map(Int.init), 1...LegacyBlobDecryptor.block ~= count,
            last.suffix(count).allSatisfy({ Int($0) == count })
        else { throw LegacyBlobDecryptor.damaged }
        return Array(last.dropLast(count))
    }

    private mutating func decrypt(first count: Int) throws(StorageError) -> [UInt8] {
        let part = Array(pending[..<count])
        let plain: Data
        do {
            let iv = try AES._CBC.IV(ivBytes: previous)
            plain = try AES._CBC.decrypt(part, using: key, iv: iv, noPadding: true)
        } catch {
            throw LegacyBlobDecryptor.damaged
        }
        previous = Array(part.suffix(LegacyBlobDecryptor.block))
        pending.removeFirst(count)
        return Array(plain)
    }

    private static var damaged: StorageError { .corrupt("The content of an attachment cannot be decrypted") }
}
