/// The key of an encrypted store, on memory pages of its own that are overwritten before they are freed. On Linux they
/// are left out of core dumps. They are not swapped out either, if the system lets the process lock memory (`ulimit
/// -l`).
///
/// Neither a description nor a mirror reveals the bytes or their number, and a key cannot be encoded. The caller must
/// clear the source of the key (a `String`, an array); a `String` cannot be cleared.
public final class StorageKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What the bytes stand for.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text in UTF-8 that a person remembers. The key is derived from it, which is slow.
        public static let passphrase = Kind(rawValue: "passphrase")
        /// 32 bytes that are the key.
        public static let raw = Kind(rawValue: "raw")
    }

    public let kind: Kind
    private let secret: SecretBytes

    /// The length in bytes of a key that is not derived.
    public static let rawLength = 32
    /// The maximum length of a passphrase in bytes.
    public static let longestPassphrase = 1 << 16

    /// Creates a key from a passphrase. Its UTF-8 bytes count: composed and decomposed "é" give different keys.
    ///
    /// - Throws: `badParameter` (495) if it is empty or longer than `longestPassphrase`, `storage` (590) if there is no
    ///   memory for it.
    public convenience init(passphrase: String) throws(StorageError) {
        var text = passphrase
        let secret = text.withUTF8 { bytes in
            Result { () throws(StorageError) in try unsafe StorageKey.secret(passphrase: bytes.span.bytes) }
        }
        try self.init(passphrase: secret.get())
    }

    /// Creates a key from the bytes of a passphrase, for callers that keep no copy of them.
    ///
    /// - Throws: As the initializer above.
    public convenience init(passphrase bytes: RawSpan) throws(StorageError) {
        try self.init(passphrase: StorageKey.secret(passphrase: bytes))
    }

    /// Creates a key that is used as it is.
    ///
    /// - Throws: `badParameter` (495) unless there are 32 bytes, `storage` (590) if there is no memory for them.
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

    /// Passes the bytes to `body`: the 32 bytes of a raw key, or the UTF-8 text of a passphrase. A caller that copies
    /// them must wipe the copy.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try secret.withBytes(body)
    }

    /// Whether two keys are of one kind and have the same bytes. The time it takes only reveals whether they have the
    /// same length.
    public static func == (a: StorageKey, b: StorageKey) -> Bool { a.kind == b.kind && a.secret.equals(b.secret) }

    public var description: String { "a storage key" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
