/// The key of an encrypted store, in pages of its own that are overwritten before they are given back. On Linux they
/// are left out of core dumps. The system is asked not to swap them out, as far as it lets the process lock memory
/// (`ulimit -l`).
///
/// Nothing tells what it is: neither a description nor a mirror has the bytes or their number, and it cannot be coded.
/// What the caller made it of (a `String`, an array) is the caller's to clear away; a `String` cannot be.
public final class StorageKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What the bytes are.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text that a person remembers, in UTF-8: the key is derived from it, slowly.
        public static let passphrase = Kind(rawValue: "passphrase")
        /// 32 bytes that are the key.
        public static let raw = Kind(rawValue: "raw")
    }

    public let kind: Kind
    private let secret: SecretBytes

    /// The length in bytes of a key that is not derived.
    public static let rawLength = 32
    /// No passphrase is longer, in bytes.
    public static let longestPassphrase = 1 << 16

    /// A key from a passphrase. Its bytes in UTF-8 count: "é" composed and decomposed are two keys.
    ///
    /// - Throws: `badParameter` (495) where it is empty or longer than `longestPassphrase`, `storage` (590) where there
    ///   is no memory for it.
    public convenience init(passphrase: String) throws(StorageError) {
        var text = passphrase
        let secret = text.withUTF8 { bytes in
            Result { () throws(StorageError) in try unsafe StorageKey.secret(passphrase: bytes.span.bytes) }
        }
        try self.init(passphrase: secret.get())
    }

    /// The same from the text's bytes: for who keeps no copy of them.
    ///
    /// - Throws: as the form above.
    public convenience init(passphrase bytes: RawSpan) throws(StorageError) {
        try self.init(passphrase: StorageKey.secret(passphrase: bytes))
    }

    /// A key that is used as it is.
    ///
    /// - Throws: `badParameter` (495) unless there are 32 bytes, `storage` (590) where there is no memory for them.
    public init(bytes: RawSpan) throws(StorageError) {
        guard bytes.byteCount == StorageKey.rawLength else {
            throw StorageError(
                .badParameter,
                "A raw key has \(StorageKey.rawLength) bytes. Use a passphrase for others."
            )
        }
        kind = .raw
        secret = try SecretBytes(bytes)
    }

    private init(passphrase: SecretBytes) {
        kind = .passphrase
        secret = passphrase
    }

    private static func secret(passphrase bytes: RawSpan) throws(StorageError) -> SecretBytes {
        guard (1...longestPassphrase).contains(bytes.byteCount) else {
            throw StorageError(
                .badParameter,
                "A passphrase must not be empty, nor have more than \(longestPassphrase) bytes."
            )
        }
        return try SecretBytes(bytes)
    }

    /// Lends the bytes: 32 of a raw key, the text in UTF-8 of a passphrase. Whoever copies them wipes the copy.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try secret.withBytes(body)
    }

    /// Whether two keys are of one kind and have the same bytes. How long it takes tells nothing but whether they are
    /// of one length.
    public static func == (a: StorageKey, b: StorageKey) -> Bool { a.kind == b.kind && a.secret.equals(b.secret) }

    public var description: String { "a storage key" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
