internal import Settee

extension KeySlotFigures {
    /// A JSON object.
    var json: JSONLine {
        switch self {
        case .raw: JSONLine().string("kind", "raw")
        case .passphrase(.scrypt(let n, let r, let p)):
            JSONLine().string("kind", "passphrase").string("kdf", "scrypt").number("n", n).number("r", r).number("p", p)
        case .passphrase(.pbkdf2(let rounds)):
            JSONLine().string("kind", "passphrase").string("kdf", "pbkdf2-sha512").number("rounds", rounds)
        case .unusable: JSONLine().string("kind", "unusable")
        }
    }

    /// The figures as text.
    var text: String {
        switch self {
        case .raw: "a raw key"
        case .passphrase(.scrypt(let n, let r, let p)): "a passphrase (scrypt, n = \(n), r = \(r), p = \(p))"
        case .passphrase(.pbkdf2(let rounds)): "a passphrase (PBKDF2-HMAC-SHA512, \(rounds) rounds)"
        case .unusable: "a key of a kind that this version cannot use"
        }
    }
}
