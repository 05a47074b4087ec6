public import Foundation
public import StorageProtocol

/// An attachment of a stored revision, as it was when the revision was read. Its content is read on demand.
///
/// The content exists as long as the database keeps a revision that has it. A call that reads it throws
/// `attachmentNotFound` (492) once no such revision is left and a compaction has run; inside `Database.read`, the
/// contents that the state refers to exist until the closure ends. Every call throws `notOpen` (503) after the database
/// was closed, and `callback` (593) inside an `update` closure.
///
/// The attachment of a model that is not saved yet is read from what was written for it, and stays readable as long as
/// this value exists; its `revpos` is 0.
public struct Attachment: Sendable {
    /// The database from which it was read.
    public let database: Database
    let stub: AttachmentStub
    /// The content, if no commit has made it readable yet.
    let staged: StagedAttachment?

    init(database: Database, stub: AttachmentStub, staged: StagedAttachment?) {
        self.database = database
        self.stub = stub
        self.staged = staged
    }

    package init(database: Database, stub: AttachmentStub) { self.init(database: database, stub: stub, staged: nil) }

    /// The name, unique in the document.
    public var name: String { stub.name }
    /// The type of the content, such as `image/jpeg`; nil if none was given.
    public var contentType: String? { stub.contentType }
    /// The length of the decoded content, in bytes.
    public var length: UInt64 { stub.length }
    /// The digest of the stored bytes: `sha1-` and base64.
    public var digest: String { AttachmentDigest(.sha1, stub.digest).text }
    /// The generation of the revision that added this content.
    public var revpos: UInt64 { stub.revpos }
    /// `gzip` if the stored bytes are encoded, else nil.
    public var encoding: String? { stub.encodedLength == nil ? nil : "gzip" }
    /// The number of stored bytes if they are encoded, else nil.
    public var encodedLength: UInt64? { stub.encodedLength }

    /// Returns the whole content, decoded.
    ///
    /// - Throws: `attachmentNotFound` (492); `corrupt` (591) if it cannot be decoded, `attachmentStore` (592) or
    ///   `storage` (590) if it cannot be read.
    public func content() throws(StorageError) -> [UInt8] {
        let reader = try openReader()
        return try reader.read(upTo: Int(clamping: reader.length))
    }

    /// Returns a part of the decoded content; shorter at its end. For encoded content, everything before it is decoded,
    /// too.
    public func content(in range: Range<UInt64>) throws(StorageError) -> [UInt8] {
        try openReader().read(at: range.lowerBound, count: Int(clamping: range.upperBound - range.lowerBound))
    }

    /// Returns the stored bytes without decoding.
    public func encodedContent() throws(StorageError) -> [UInt8] {
        let reader = try openReader(encoded: true)
        return try reader.read(upTo: Int(clamping: reader.length))
    }

    /// Opens the content for reading in pieces. An open content stays readable even if it is collected.
    ///
    /// - Parameter encoded: whether to return the stored bytes without decoding.
    public func openReader(encoded: Bool = false) throws(StorageError) -> AttachmentReader {
        let trace = database.trace
        if let staged { return AttachmentReader(try staged.makeReader(), stub, encoded: encoded, trace: trace) }
        return AttachmentReader(try database.attachmentReader(stub.digest), stub, encoded: encoded, trace: trace)
    }

    /// Passes the content to `body` in pieces of `size` bytes; the last one may be shorter. Memory does not grow with
    /// the content.
    ///
    /// - Throws: what `body` throws; what reading throws.
    public func forEachPiece(of size: Int = 1 << 18, _ body: ([UInt8]) throws -> Void) throws {
        guard size > 0 else { throw StorageError(.badParameter, "The size of a piece must be above 0.") }
        let reader = try openReader()
        while true {
            let piece = try reader.read(upTo: size)
            if piece.isEmpty { return }
            try body(piece)
        }
    }

    /// The content in pieces of `size` bytes, as an asynchronous sequence that reads on its own threads.
    public func pieces(of size: Int = 1 << 18) -> AttachmentPieces { AttachmentPieces(self, size: size) }

    /// Returns the file that holds the content, to be read in place. Nil if it has no file of its own: in memory, if it
    /// is encoded or encrypted, and before it is saved.
    ///
    /// The file belongs to the database and must not be changed (it has no write permission). Its name is valid until
    /// the content is collected, so open it at once, or inside `Database.read`. An open file stays readable.
    public func fileURL() throws(StorageError) -> URL? {
        guard stub.encodedLength == nil else { return nil }
        return try database.withReadGeneration(readsBlobs: true) { (transaction, generation) throws(StorageError) in
            let store = try generation.blobStore()
            if let reference = try transaction.blobReference(stub.digest) {
                if let path = try store.filePath(reference.storageName) { return URL(fileURLWithPath: path) }
                if try store.holds(reference.storageName) { return nil }
            }
            if staged != nil { return nil }
            throw StorageError(
                .attachmentNotFound,
                "The attachment's content is gone: no revision that is kept refers to it any more."
            )
        }
    }
}
