internal import SetteeEncryption

/// What the manifest says about one of the keys that open an encrypted database. It says nothing about the key itself.
public enum KeySlotFigures: Sendable, Hashable {
    /// A raw key of 32 bytes.
    case raw
    /// A passphrase, and how a key is derived from it.
    case passphrase(KeyDerivation)
    /// Made by a newer version, or damaged: no key opens it here.
    case unusable

    init(_ text: [UInt8]) {
        switch KeySlot.read(text) {
        case .slot(let slot):
            switch slot.derivation {
            case .raw: self = .raw
            case .passphrase(let cost): self = .passphrase(KeyDerivation(cost))
            }
        case .unknownDerivation, .costOutOfRange, .malformed: self = .unusable
        }
    }
}
