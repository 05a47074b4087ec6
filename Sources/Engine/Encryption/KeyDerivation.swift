internal import SetteeEncryption
internal import StorageProtocol

/// How slowly a key is derived from a passphrase: the cost of each guess for somebody who has the folder, and of each
/// opening for the program.
///
/// It is stored with the database, so that openings need not know it. docs/guide/encryption.md has the bounds and the
/// times. A raw key is not derived, and ignores it.
public enum KeyDerivation: Sendable, Hashable {
    /// scrypt (RFC 7914), which fills 128 · `n` · `r` bytes of memory, `p` times. `n` is a power of two from 2^14 to
    /// 2^20 (below 2^16 if `r` is 1), `r` is 1 to 16, `p` 1 to 4, and 128 · `n` · `r` · `p` at most 256 MiB.
    case scrypt(n: Int, r: Int, p: Int)
    /// PBKDF2-HMAC-SHA512 (RFC 8018) with 10,000 to 5,000,000 rounds: for devices without the memory for scrypt.
    case pbkdf2(rounds: Int)

    /// scrypt with 64 MiB of memory: 0.1 to 0.25 s on current processors.
    public static let standard = KeyDerivation(.standard)

    init(_ cost: KeyCost) {
        switch cost {
        case .scrypt(let n, let r, let p): self = .scrypt(n: n, r: r, p: p)
        case .pbkdf2(let rounds): self = .pbkdf2(rounds: rounds)
        }
    }

    var cost: KeyCost {
        switch self {
        case .scrypt(let n, let r, let p): .scrypt(n: n, r: r, p: p)
        case .pbkdf2(let rounds): .pbkdf2(rounds: rounds)
        }
    }
}
