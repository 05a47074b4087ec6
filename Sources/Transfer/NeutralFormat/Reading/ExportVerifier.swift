internal import Crypto
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Reads an export from beginning to end, checks everything that can be checked without a database, and notes the
/// positions of its parts.
struct ExportVerifier {
    private let reader: ExportReader
    private var index = ExportIndex()
    private var sequences = SequenceSet()
    /// What attachments state about contents that have not been read yet.
    private var wanted: [BlobDigest: AttachmentLengths] = [:]
    private var summary = ExportSummary()

    init(_ file: ExportFile) { reader = ExportReader(file, hashes: true) }

    mutating func run() throws(StorageError) -> ExportIndex {
        try readHeader()
        try next()
        if reader.isStore { try readIdentity() }
        index.values = reader.lines.offset..<reader.lines.offset
        try readValues()
        index.values = index.values.lowerBound..<reader.lines.offset
        try readDocuments()
        try readBlobs()
        try readEnd()
        return index
    }

    /// Counts the current line and advances to the next.
    private func next() throws(StorageError) {
        try reader.hash()
        try reader.require()
    }

    // MARK: - The beginning

    private func readHeader() throws(StorageError) {
        guard try reader.advance() else { throw ExportVerifier.noExport }
        let line = try reader.lines.withLine { (text) throws(StorageError) in
            unsafe text.extracting(0..<min(1024, text.byteCount)).withUnsafeBytes { unsafe Array($0) }
        }
        if line == NeutralFormat.header { return }
        guard let header = try? JSONValue(parsing: line), header["settee"]?.stringValue == "export",
            let version = header["version"]?.intValue
        else { throw ExportVerifier.noExport }
        guard version == Int64(NeutralFormat.version) else {
            throw StorageError(
                .unsupportedFormat,
                "The export has format version \(version); this program reads version \(NeutralFormat.version). "
                    + "Import it with a newer program."
            )
        }
        throw reader.damaged("it is not the first line of an export")
    }

    private static var noExport: StorageError {
        StorageError(.badJSON, "The text is not an export: its first line is not that of `settee export --all`.")
    }

    private mutating func readIdentity() throws(StorageError) {
        guard case .identity(let info, let lastSequence) = try reader.line() else {
            throw reader.damaged("it does not tell of the database")
        }
        index.identity = info
        index.lastSequence = lastSequence
        try next()
    }

    private mutating func readValues() throws(StorageError) {
        var key: [UInt8]?
        while case .info(let text, let value) = try present() {
            let bytes = Array(text.utf8)
            guard NeutralFormat.isContent(text) else { throw reader.damaged("the info value is no content") }
            if text.utf8.elementsEqual(Database.revisionTreeDepthKey.utf8), Database.revisionTreeDepth(value) == nil {
                throw reader.damaged("the depth of revision trees is no number")
            }
            if let key, compareBytes(key, bytes) >= 0 { throw reader.damaged("the info values are out of order") }
            key = bytes
            summary.infoValues += 1
            try next()
        }
        var previous: DocumentID?
        while case .local(let id, _) = try present() {
            if let previous, id <= previous { throw reader.damaged("the local documents are out of order") }
            previous = id
            summary.localDocuments += 1
            try next()
            try reader.body { (body, _) throws(StorageError) in
                if body.hasAttachments { throw reader.damaged("a local document has attachments") }
            }
            try next()
        }
    }

    /// Parses the current line, which must be neither a body nor a chunk, because those are not allowed here.
    private func present() throws(StorageError) -> ExportLineParser.Line {
        if reader.isBody || reader.isChunk { throw reader.damaged("it belongs to nothing") }
        return try reader.line()
    }

    // MARK: - Documents

    private mutating func readDocuments() throws(StorageError) {
        var previous: DocumentID?
        while case .document(var document) = try present() {
            if let previous, document.id <= previous { throw reader.damaged("the documents are out of order") }
            previous = document.id
            let start = reader.lines.offset
            try reader.hash()
            var attachments: [(BlobDigest, AttachmentLengths)] = []
            try reader.document(&document) { (_, body, _) throws(StorageError) in
                for (digest, lengths) in zip(body.attachments, body.lengths) {
                    attachments.append((BlobDigest(digest), lengths))
                }
            }
            for (digest, lengths) in attachments {
                guard wanted[digest, default: lengths].merge(lengths) else {
                    throw reader.damaged("an attachment has another length than one with the same content")
                }
            }
            try check(document)
            summary.documents += 1
            summary.revisions += document.revisions.count
            index.documents.append(
                ExportIndex.Document(
                    offset: start,
                    length: reader.lines.nextOffset - start,
                    sequence: document.sequence
                )
            )
            try reader.require()
        }
    }

    private mutating func check(_ document: ExportedDocument) throws(StorageError) {
        guard document.hasStore else {
            index.isNumbered = false
            return
        }
        for revision in document.revisions where revision.sequence != 0 {
            guard revision.sequence <= index.lastSequence ?? UInt64(Int64.max) else {
                throw reader.damaged("a sequence is above the last one")
            }
            guard sequences.insert(revision.sequence) else {
                throw reader.damaged("two revisions have the same sequence")
            }
        }
    }

    // MARK: - Attachments

    private mutating func readBlobs() throws(StorageError) {
        while case .blob(let bytes, let length) = try present() {
            let digest = BlobDigest(bytes)
            if let last = index.blobs.last, digest <= last.digest {
                throw reader.damaged("the contents are out of order")
            }
            guard let lengths = wanted.removeValue(forKey: digest) else {
                throw reader.damaged("no attachment refers to the content")
            }
            guard lengths.stored == length else {
                throw reader.damaged("the content has another length than its attachments say")
            }
            let blob = ExportIndex.Blob(digest: digest, offset: reader.lines.offset, length: length)
            try next()
            var hash = Insecure.SHA1()
            var decoded = try lengths.decoded.map { (limit) throws(StorageError) in try DecodedLength(upTo: limit) }
            try reader.content(of: blob, then: next) { (piece) throws(StorageError) in
                hash.update(data: piece)
                do throws(StorageError) { try decoded?.append(piece) } catch { decoded = nil }
            }
            guard (try? decoded?.finish()) == lengths.decoded else {
                throw reader.damaged("the content before it does not decode to the length that its attachments say")
            }
            guard hash.finalize().elementsEqual(bytes) else {
                throw reader.damaged("the content before it has another SHA-1")
            }
            summary.blobs += 1
            index.blobs.append(blob)
        }
    }

    // MARK: - The end

    private mutating func readEnd() throws(StorageError) {
        guard case .end(let end, let store) = try present() else { throw reader.damaged("it is out of order") }
        guard wanted.isEmpty else { throw reader.damaged("the contents of \(wanted.count) attachments are missing") }
        let digests = reader.digests()
        summary.digest = digests.content
        guard end == summary, store == digests.store else {
            throw reader.damaged("counts or digests are not those of the lines before; the text was changed")
        }
        index.summary = summary
        index.end = reader.lines.offset
        if try reader.advance() { throw reader.damaged("there is something behind the last line") }
    }
}

extension ExportReader {
    /// Passes the chunks of an attachment's content to `use`. The current line holds the first chunk.
    ///
    /// - Parameter then: Advances to the line after a chunk.
    func content(
        of blob: ExportIndex.Blob,
        then: () throws(StorageError) -> Void,
        _ use: ([UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var rest = blob.length
        while rest > 0 {
            let piece = try chunk()
            guard UInt64(piece.count) == min(rest, UInt64(NeutralFormat.chunkLength)) else {
                throw damaged("the chunk has \(piece.count) bytes, which is not its length")
            }
            rest -= UInt64(piece.count)
            try use(piece)
            try then()
        }
    }
}
