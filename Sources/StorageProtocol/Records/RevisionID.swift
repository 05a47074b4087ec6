/// A revision's identity `<generation>-<suffix>`.
///
/// The generation is a decimal number from 1 to 9,223,372,036,854,775,807, one more than the parent's. The suffix of a
/// revision created by Settee is a 16-byte digest in 32 lower-case hexadecimal digits, which is held inline. That of a
/// foreign revision may be *opaque*: any other UTF-8 text without control characters, held as its bytes.
///
/// Identity and order are those of bytes: generations are compared as numbers, then the suffixes as by `memcmp`, with a
/// prefix first. `a` and `A` differ, and so do composed and decomposed characters.
public struct RevisionID: Hashable, Sendable {
    /// The maximum length of the text in bytes.
    public static let maximumLength = 255
    /// The maximum generation.
    public static let maximumGeneration = UInt64(Int64.max)
    /// The maximum generation of a foreign revision: 2^62. This leaves room above it for more new revisions than will
    /// ever be made.
    public static let maximumForeignGeneration: UInt64 = 1 << 62

    /// The number before the dash: 1 for a document's first revision.
    public let generation: UInt64
    /// The big-endian halves of the digest; 0 if the suffix is opaque.
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64
    /// The suffix if it is not a digest.
    @usableFromInline package let opaque: [UInt8]?

    /// For parts that have been checked: an opaque suffix is never 32 lower-case hexadecimal digits.
    @inlinable
    package init(uncheckedGeneration generation: UInt64, high: UInt64, low: UInt64, opaque: [UInt8]? = nil) {
        self.generation = generation
        self.high = high
        self.low = low
        self.opaque = opaque
    }

    /// Creates the ID of a new revision.
    ///
    /// - Parameter digest: The 16 bytes as two big-endian halves.
    /// - Throws: `StorageError` with `badRequest` (400) for a generation that is 0 or above `maximumGeneration`. The
    ///   child of a foreign revision can have such a generation.
    public init(generation: UInt64, digest: (high: UInt64, low: UInt64)) throws(StorageError) {
        guard 1...RevisionID.maximumGeneration ~= generation else {
            throw StorageError(.badRequest, "The generation is out of range: a revision cannot follow this parent.")
        }
        self.init(uncheckedGeneration: generation, high: digest.high, low: digest.low)
    }

    /// Creates the ID of a new revision from the 16 bytes of its digest.
    ///
    /// - Throws: As `init(generation:digest:)` with two halves; `badParameter` (495) for any other number of bytes.
    public init(generation: UInt64, digest: RawSpan) throws(StorageError) {
        guard digest.byteCount == 16 else {
            throw StorageError(.badParameter, "A revision's digest has 16 bytes, not \(digest.byteCount).")
        }
        let high = unsafe UInt64(bigEndian: digest.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let low = unsafe UInt64(bigEndian: digest.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
        try self.init(generation: generation, digest: (high, low))
    }

    /// Creates an ID from its text, as written by an application or another database.
    ///
    /// - Throws: `StorageError` with `badRequest` (400) for text that is not a revision ID: without a dash; a
    ///   generation with a leading zero or sign, 0, or out of range; an empty suffix; invalid UTF-8 or control
    ///   characters (C0, DEL, C1); over 255 bytes.
    public init(_ text: String) throws(StorageError) {
        try unsafe self.init(text: text.utf8.span.bytes)
    }

    /// Creates an ID from the bytes of its text, as written by an application or another database. Throws as `init(_:)`
    /// does.
    public init(text: RawSpan) throws(StorageError) {
        switch RevisionID.parse(text) {
        case .success(let id): self = id
        case .failure(let fault): throw StorageError(.badRequest, "\(fault.rawValue) A revision ID is NUMBER-SUFFIX.")
        }
    }

    /// Creates an ID from the bytes in a store.
    ///
    /// - Throws: `StorageError` with `corrupt` (591) if the bytes are not a revision ID.
    public init(stored text: RawSpan) throws(StorageError) {
        switch RevisionID.parse(text) {
        case .success(let id): self = id
        case .failure: throw .corrupt("A stored revision ID is malformed")
        }
    }

    /// The big-endian halves of the digest; nil if the suffix is opaque.
    @inlinable
    package var digest: (high: UInt64, low: UInt64)? { opaque == nil ? (high, low) : nil }

    @inlinable
    public static func == (a: RevisionID, b: RevisionID) -> Bool {
        guard a.generation == b.generation, a.high == b.high, a.low == b.low else { return false }
        // Most IDs have no opaque part and need no call.
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
            // The digits sort as the numbers they stand for.
            return a.high != b.high ? a.high < b.high : a.low < b.low
        }
        // Both generations have the same text.
        return a.withText { x in b.withText { y in compareBytes(x, y) < 0 } }
    }
}

extension RevisionID: CustomStringConvertible {
    public var description: String { string }
}
