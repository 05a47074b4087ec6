package import StorageProtocol

/// How much work and memory it takes to derive a key from a passphrase.
package enum KeyCost: Sendable, Equatable {
    /// scrypt (RFC 7914): `n` blocks of 128 · `r` bytes are filled and read, `p` times.
    case scrypt(n: Int, r: Int, p: Int)
    /// PBKDF2-HMAC-SHA512 (RFC 8018), which needs almost no memory.
    case pbkdf2(rounds: Int)

    /// The default cost of a slot. docs/guide/encryption.md tells how long it takes.
    package static let standard = KeyCost.scrypt(n: 1 << 16, r: 8, p: 1)

    /// The maximum amount of memory that a derivation fills, in bytes, counting repetitions.
    package static let largestWork: UInt64 = 256 << 20

    /// Whether a slot may have this cost. Costs come from disk, and are compared with these bounds before any work is
    /// done.
    package var isAllowed: Bool {
        switch self {
        case .scrypt(let n, let r, let p):
            guard (1 << 14...1 << 20).contains(n), n & (n - 1) == 0, (1...16).contains(r), (1...4).contains(p) else {
                return false
            }
            // RFC 7914, section 6: n is less than 2^(128 · r / 8).
            guard r > 1 || n < 1 << 16 else { return false }
            return 128 * UInt64(n) * UInt64(r) * UInt64(p) <= KeyCost.largestWork
        case .pbkdf2(let rounds):
            return (10_000...5_000_000).contains(rounds)
        }
    }

    /// - Throws: `badParameter` (495) for a cost beyond the bounds.
    package func requireAllowed() throws(StorageError) {
        guard !isAllowed else { return }
        throw StorageError(
            .badParameter,
            "The cost of the key is out of range. For scrypt, n is a power of two from 2^14 to 2^20 (below 2^16 where "
                + "r is 1), "
                + "r is 1 to 16, p is 1 to 4, and 128·n·r·p is at most 256 MiB; PBKDF2 takes 10,000 to 5,000,000 "
                + "rounds."
        )
    }
}
