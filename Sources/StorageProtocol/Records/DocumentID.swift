internal import SetteeSystemLibrary

/// A document's identity: 1 to 65,536 bytes of UTF-8, compared, hashed and ordered by those bytes.
///
/// Swift's `String` treats composed and decomposed "é" as equal; here they name two documents.
///
/// ```swift
/// let id: DocumentID = "little-big"              // a literal, checked by the calls that it is passed to
/// let given = try DocumentID(text)               // any other text, checked at once
/// let text = given.string
/// ```
public struct DocumentID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The maximum length of an ID in bytes.
    public static let maximumLength = 65_536

    /// The text of the ID. Compare IDs, never their strings.
    public let string: String
    /// Whether the text is known to be a valid ID: it was checked, or it comes from a store.
    private let isKnown: Bool

    /// Creates an ID from its text.
    ///
    /// - Throws: `StorageError` with `badID` (494) for an ID that is empty, contains a NUL, has more than 64 KiB, or
    ///   begins with `_` and is neither a local (`_local/...`) nor a design document (`_design/...`).
    public init(_ string: String) throws(StorageError) {
        var text = string
        text.makeContiguousUTF8()
        if let fault = DocumentID.fault(in: unsafe text.utf8.span.bytes) { throw StorageError(.badID, fault) }
        self.string = text
        isKnown = true
    }

    /// Creates an ID from a literal. If it is not allowed, the calls that it is passed to throw `badID` (494).
    public init(stringLiteral text: String) { self.init(unchecked: text) }

    /// Takes any text, allowed or not. `checked()` tells which.
    package init(unchecked text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.string = text
        isKnown = false
    }

    /// Returns the ID if it is allowed.
    ///
    /// - Throws: `StorageError` with `badID` (494), like the initializer for a text that is not a literal.
    public func checked() throws(StorageError) -> DocumentID { isKnown ? self : try DocumentID(string) }

    /// Creates an ID from the bytes in a store. They were checked when they were written.
    ///
    /// - Throws: `StorageError` with `corrupt` (591) if the bytes are not UTF-8.
    public init(stored bytes: RawSpan) throws(StorageError) {
        // Creating a string repairs invalid UTF-8, so the bytes are valid if they come back unchanged. (This is faster
        // than the validating initializer, which matters in scans.)
        let text = unsafe bytes.withUnsafeBytes { source in
            unsafe String(unsafeUninitializedCapacity: source.count) { target in
                unsafe UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
                return source.count
            }
        }
        guard unsafe compareBytes(text.utf8.span.bytes, bytes) == 0 else {
            throw .corrupt("A stored document ID is not UTF-8")
        }
        self.string = text
        isKnown = true
    }

    private static func fault(in bytes: RawSpan) -> String? {
        let count = bytes.byteCount
        if count == 0 { return "A document ID must not be empty. Leave it out to have one generated." }
        if count > maximumLength {
            return "The document ID has \(count) bytes; at most \(maximumLength) are allowed."
        }
        return unsafe bytes.withUnsafeBytes { bytes in
            if unsafe bytes[0] == UInt8(ascii: "_"),
                !["_local/", "_design/"].contains(where: { prefix in
                    unsafe count > prefix.utf8.count && bytes.starts(with: prefix.utf8)
                })
            {
                return "IDs that begin with '_' are reserved; only '_local/NAME' and '_design/NAME' are allowed."
            }
            if unsafe memchr(bytes.baseAddress!, 0, count) != nil {
                return "A document ID must not contain a NUL character."
            }
            return nil
        }
    }

    /// Whether this names a local document (`_local/...`), which has no tree and is never replicated.
    public var isLocal: Bool { isReserved && string.utf8.starts(with: "_local/".utf8) }
    /// Whether this names a design document (`_design/...`).
    public var isDesign: Bool { isReserved && string.utf8.starts(with: "_design/".utf8) }

    private var isReserved: Bool { string.utf8.first == UInt8(ascii: "_") }

    /// Passes the bytes of the ID to `body`.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe body(string.utf8.span.bytes)
    }

    public var description: String { string }

    public static func == (a: DocumentID, b: DocumentID) -> Bool {
        a.withBytes { x in b.withBytes { y in x.byteCount == y.byteCount && compareBytes(x, y) == 0 } }
    }

    public static func < (a: DocumentID, b: DocumentID) -> Bool {
        a.withBytes { x in b.withBytes { y in compareBytes(x, y) < 0 } }
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { span in unsafe span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    }
}

/// A value that names a document: an ID, or the text of one, which is checked when it is used.
public protocol DocumentIDConvertible: Sendable {
    /// The ID's text.
    var documentIDText: String { get }
}

extension DocumentID: DocumentIDConvertible {
    public var documentIDText: String { string }
}

extension String: DocumentIDConvertible {
    public var documentIDText: String { self }
}
