internal import StorageProtocol
internal import Synchronization

/// Content for an attachment that is already written but does not belong to a document yet.
///
/// It is kept as long as this object is referenced, even if several revisions use it; when the last reference goes,
/// content that no revision uses is removed. No compaction of any process removes it before that.
public final class StagedAttachment: Sendable {
    /// The digest by which an entry with `follows` names it: `sha1-` and base64.
    public var digest: String { sha1.text }
    /// The other digest by which it can be named, `md5-` and base64; nil if it was not requested.
    public var md5Digest: String? { md5?.text }
    /// The length of the content, in bytes.
    public var length: UInt64 { content.length }

    /// Its name is that in the store where it was written.
    let content: BlobContent
    let sha1: AttachmentDigest
    let md5: AttachmentDigest?
    /// Whether the database keeps the MD5, because it came from a client that will ask for it.
    let keepsMD5: Bool
    /// What it decodes to, in bytes; nil where it is not gzip, or nobody wanted to know.
    let decodedLength: UInt64?
    private let held: Locked<Held>

    /// @unchecked: reached by one thread at a time, under the lock.
    private struct Held: @unchecked Sendable {
        /// Where it was written, and is published without being written again.
        var store: any BlobStore
        /// Until the content is published.
        var writer: (any BlobWriter)?
        /// From then on: the content, whatever becomes of the blob's name. Nil if many others are open: then it is
        /// opened by its name, and a content that was collected meanwhile is gone.
        var reader: (any BlobReader)?
    }

    /// - Parameters:
    ///   - writer: finished, and given up by the caller.
    ///   - store: the writer's.
    init(
        _ writer: any BlobWriter,
        of store: any BlobStore,
        _ content: BlobContent,
        sha1: [UInt8],
        md5: [UInt8]?,
        keepsMD5: Bool,
        decodedLength: UInt64?
    ) {
        self.content = content
        self.keepsMD5 = keepsMD5
        self.decodedLength = decodedLength
        self.sha1 = AttachmentDigest(.sha1, sha1)
        self.md5 = md5.map { AttachmentDigest(.md5, $0) }
        held = Locked(Held(store: store, writer: writer))
    }

    /// Readers of published contents that are open in this process. A revision may have thousands of attachments.
    private static let openReaders = Atomic<Int>(0)
    private static let mostOpenReaders = 64

    deinit {
        held.withLock { held in
            held.writer?.cancel()
            if held.reader != nil { StagedAttachment.openReaders.subtract(1, ordering: .relaxed) }
        }
    }

    /// Opens the content for reading, wherever it lies by now.
    func makeReader() throws(StorageError) -> any BlobReader {
        try held.withLock { (held) throws(StorageError) in
            if let writer = held.writer { return try writer.reader() }
            guard held.reader != nil else {
                guard let reader = try held.store.readerAnywhere(name(in: held.store)) else {
                    throw StagedAttachment.gone
                }
                return reader
            }
            return SharedReader(self, length: content.length)
        }
    }

    /// Reads a content that is published, one reader for all who hold it.
    private final class SharedReader: BlobReader {
        private let staged: StagedAttachment
        let length: UInt64

        init(_ staged: StagedAttachment, length: UInt64) {
            self.staged = staged
            self.length = length
        }

        func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
            try staged.held.withLock { (held) throws(StorageError) in
                guard let reader = held.reader else { throw StagedAttachment.gone }
                return try reader.read(at: offset, count: count)
            }
        }
    }

    private static var gone: StorageError {
        StorageError(.attachmentStore, "An attachment's content is gone. Write it again.")
    }

    /// Copies the content to `store` if the database has switched to a generation with another store, so that `publish`
    /// need not. This may take long; call it before a transaction begins. One thread at a time does it.
    ///
    /// - Throws: `full` (507) and whatever else writing throws. Nothing is lost: `publish` tries again.
    func bring(to store: any BlobStore) throws(StorageError) {
        guard !isWritten(in: store), try !store.has(name(in: store), length: content.length),
            let reader = try held.withLock({ (held) throws(StorageError) in try held.writer?.reader() ?? held.reader })
        else { return }
        let writer = try copy(reader, to: store)
        let old = held.withLock { held in
            defer { held = Held(store: store, writer: writer, reader: held.reader) }
            return held.writer
        }
        old?.cancel()
    }

    /// Whether it was written in `store`, published or not.
    func isWritten(in store: any BlobStore) -> Bool { held.withLock { $0.store === store } }

    /// What the content is called in `store`, whatever it was called where it was written.
    func name(in store: any BlobStore) -> String { store.name(ofSHA256: content.sha256) }

    private func copy(_ reader: any BlobReader, to store: any BlobStore) throws(StorageError) -> any BlobWriter {
        let writer = try store.makeWriter()
        try reader.forEachPiece { (piece) throws(StorageError) in try unsafe writer.append(piece.span.bytes) }
        let copied = try writer.finish()
        guard copied.sha256 == content.sha256, copied.length == content.length else { throw StagedAttachment.gone }
        return writer
    }

    /// Opens a published content, unless many others are open.
    private static func openReader(
        of name: String,
        in store: any BlobStore
    ) throws(StorageError) -> (any BlobReader)? {
        var reader: (any BlobReader)?
        defer { if reader == nil { openReaders.subtract(1, ordering: .relaxed) } }
        guard openReaders.add(1, ordering: .relaxed).oldValue < mostOpenReaders else { return nil }
        reader = try store.reader(name)
        return reader
    }

    /// Puts the blob in its place in `store`, the one of the generation that is being written. That may be a newer
    /// generation than the one for which the content was staged. Called under the writer lock, and more than once if
    /// earlier transactions were rolled back and their blobs collected.
    ///
    /// - Returns: its name there.
    func publish(in store: any BlobStore) throws(StorageError) -> String {
        let name = name(in: store)
        try held.withLock { (held) throws(StorageError) in
            if let writer = held.writer, store === held.store {
                try writer.publish()
                if held.reader == nil { held.reader = try StagedAttachment.openReader(of: name, in: store) }
                held.writer = nil
                return
            }
            if try store.has(name, length: content.length) { return }
            if try store.restore(name), try store.has(name, length: content.length) { return }
            var reader = try held.writer?.reader() ?? held.reader
            if reader == nil { reader = try held.store.readerAnywhere(self.name(in: held.store)) }
            guard let reader else { throw StagedAttachment.gone }
            // It was collected as waste, or could not be brought before.
            try copy(reader, to: store).publish()
        }
        return name
    }
}

extension BlobReader {
    /// The content piece by piece, at most 256 KiB at a time.
    func forEachPiece(_ body: ([UInt8]) throws(StorageError) -> Void) throws(StorageError) {
        var offset: UInt64 = 0
        while true {
            let piece = try read(at: offset, count: 1 << 18)
            if piece.isEmpty { return }
            try body(piece)
            offset += UInt64(piece.count)
        }
    }
}
