/// A revision's identity `<generation>-<suffix>`.
///
/// The generation is a decimal number from 1 to 9,223,372,036,854,775,807, one more than the parent's. The suffix of
/// our own revisions is a 16-byte digest in 32 lower-case hexadecimal digits, which is held inline; that of foreign
/// ones is *opaque*: any other UTF-8 text without control characters, held as its bytes.
///
/// Identity and order are those of bytes: generations as numbers, then the suffixes as memcmp orders them, a prefix
/// first. `a` and `A` differ, and so do composed and decomposed characters.
public struct RevisionID: Hashable, Sendable {
    /// The longest text, in bytes.
    public static let maximumLength = 255
    /// The highest generation.
    public static let maximumGeneration = UInt64(Int64.max)
    /// The highest generation of a revision that comes from elsewhere: 2^62. Whatever comes can then be followed by as
    /// many revisions of our own as anybody will ever make.
    public static let maximumForeignGeneration: UInt64 = 1 << 62

    /// The number before the dash: 1 for a document's first revision.
    public let generation: UInt64
    /// The digest's big-endian halves; 0 where the suffix is opaque.
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64
    /// The suffix where it is no digest.
    @usableFromInline package let opaque: [UInt8]?

    /// For parts that have been checked: an opaque suffix is never 32 lower-case hexadecimal digits.
    @inlinable
    package init(uncheckedGeneration generation: UInt64, high: UInt64, low: UInt64, opaque: [UInt8]? = nil) {
        self.generation = generation
        self.high = high
        self.low = low
        self.opaque = opaque
    }

    /// The ID of a revision of our own.
    ///
    /// - Parameter digest: the 16 bytes as two big-endian halves.
    /// - Throws: `StorageError` with `badRequest` (400) for a generation that is 0 or beyond `maximumGeneration`, as
    ///   the child of a foreign revision can have.
    public init(generation: UInt64, digest: (high: UInt64, low: UInt64)) throws(StorageError) {
        guard 1...RevisionID.maximumGeneration ~= generation else {
            throw StorageError(.badRequest, "The generation is out of range: a revision cannot follow this parent.")
        }
        self.init(uncheckedGeneration: generation, high: digest.high, low: digest.low)
    }

    /// The ID of a revision of our own, from the 16 bytes of its digest.
    ///
    /// - Throws: as `init(generation:digest:)` of two halves; `badParameter` (495) for any other number of bytes.
    public init(generation: UInt64, digest: RawSpan) throws(StorageError) {
        guard digest.byteCount == 16 else {
            throw StorageError(.badParameter, "A revision's digest has 16 bytes, not \(digest.byteCount).")
        }
        let high = unsafe UInt64(bigEndian: digest.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let low = unsafe UInt64(bigEndian: digest.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
        try self.init(generation: generation, digest: (high, low))
    }

    /// The ID as an application or another database writes it.
    ///
    /// - Throws: `StorageError` with `badRequest` (400) for text that is no revision ID: without a dash; a generation
    ///   with a leading zero or sign, 0, or out of range; an empty suffix; invalid UTF-8 or control characters (C0,
    ///   DEL, C1); over 255 bytes.
    public init(_ text: String) throws(StorageError) {
        try unsafe self.init(text: text.utf8.span.bytes)
    }

    /// The ID as an application or another database writes it, from its bytes. Throws as `init(_:)` does.
    public init(text: RawSpan) throws(StorageError) {
        switch RevisionID.parse(text) {
        case .success(let id): self = id
        case .failure(let fault): throw StorageError(.badRequest, "\(fault.rawValue) A revision ID is NUMBER-SUFFIX.")
        }
    }

    /// The ID out of a store.
    ///
    /// - Throws: `StorageError` with `corrupt` (591) where the bytes are no revision ID.
    public init(stored text: RawSpan) throws(StorageError) {
        switch RevisionID.parse(text) {
        case .success(let id): self = id
        case .failure: throw .corrupt("A stored revision ID is malformed")
        }
    }

    /// The digest's big-endian halves; nil where the suffix is opaque.
    @inlinable
    package var digest: (high: UInt64, low: UInt64)? { opaque == nil ? (high, low) : nil }

    @inlinable
    public static func == (a: RevisionID, b: RevisionID) -> Bool {
        guard a.generation == b.generation, a.high == b.high, a.low == b.low else { return false }
        // Most have no opaque part, and need no call.
        if a.opaque == nil && b.opaque == nil { return true }
        return a.opaque == b.opaque
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(high)
        hasher.combine(low)
        if let opaque { hasher.combine(opaque) }
    }
}

extension RevisionID: Comparable {
    @inlinable
    public static func < (a: RevisionID, b: RevisionID) -> Bool {
        if a.generation != b.generation { return a.generation < b.generation }
        if a.opaque == nil && b.opaque == nil {
            // Digits sort as the numbers they write.
            return a.high != b.high ? a.high < b.high : a.low < b.low
        }
        // The generations are the same text.
        return a.withText { x in b.withText { y in compareBytes(x, y) < 0 } }
    }
}

extension RevisionID: CustomStringConvertible {
    public var description: String { string }
}
