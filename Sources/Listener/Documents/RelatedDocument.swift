internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The parts of a multipart/related document as they arrive: JSON first, then the contents of those attachments whose
/// entries say `follows`.
///
/// A content belongs to the entry that its part names as the file name; else to the one with its digest, which Sync
/// Gateway goes by; else to the next one in the text, which CouchDB goes by.
struct RelatedDocument: MultipartHandler {
    /// An attachment that follows.
    struct Entry {
        var name: String
        var digest: AttachmentDigest?
        var content: StagedAttachment?
        var isGzip: Bool
    }

    private enum Part {
        case json(GzipInflater?)
        case content(AttachmentWriter, fileName: String?, isGzip: Bool)
    }

    private let database: Database
    private let options: ListenerOptions
    private let memory: RequestMemory
    private var part: Part?
    /// How much of the part's content came.
    private var length: UInt64 = 0
    private var json: [UInt8] = []
    private var body: DocumentBody?
    /// In the order of the text.
    private var entries: [Entry] = []

    init(in database: Database, _ options: ListenerOptions, _ memory: RequestMemory) {
        self.database = database
        self.options = options
        self.memory = memory
    }

    mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError) {
        length = 0
        let coding = try ContentCoding(header: headers["content-encoding"])
        guard body != nil else {
            let limits = InflationLimits(bytes: UInt64(options.documentBytes))
            if let format = coding.format {
                part = .json(try GzipInflater(format, limits: limits))
            } else {
                part = .json(nil)
            }
            return
        }
        guard entries.contains(where: { $0.content == nil }) else {
            throw .badRequest("The message has more parts than the document has attachments that follow.")
        }
        guard coding != .deflate else {
            throw .badContentType("Only gzip and identity content-encodings are supported")
        }
        // A name that cannot be read is as good as none.
        let fileName = headers["content-disposition"].flatMap { try? ContentDisposition.fileName($0) }
        let writer = try database.engine { (database) throws(StorageError) in
            try database.makeAttachmentWriterKeepingMD5(decodedUpTo: options.attachmentBytes)
        }
        part = .content(writer, fileName: fileName, isGzip: coding == .gzip)
    }

    mutating func content(_ bytes: RawSpan) throws(CouchError) {
        switch part {
        case .json(let inflater?):
            var inflated: [UInt8] = []
            try inflater.push(bytes) { (piece) in inflated.append(piece) }
            try memory.take(2 * inflated.count)
            json += inflated
        case .json(nil):
            guard json.count + bytes.byteCount <= options.documentBytes else { throw .tooLarge }
            try memory.take(2 * bytes.byteCount)
            json.append(bytes)
        case .content(let writer, _, _):
            length += UInt64(bytes.byteCount)
            guard length <= options.attachmentBytes else { throw .tooLarge }
            var piece: [UInt8] = []
            piece.append(bytes)
            try database.engine { [piece] (_) throws(StorageError) in try writer.append(piece) }
        case nil: break
        }
    }

    mutating func partEnds() throws(CouchError) {
        switch part {
        case .json(let inflater):
            try inflater?.finish()
            try readJSON()
        case .content(let writer, let fileName, let isGzip):
            let content = try database.engine { (_) throws(StorageError) in try writer.finish() }
            try assign(content, fileName, isGzip: isGzip)
        case nil: break
        }
        part = nil
    }

    mutating func messageEnds() {}

    private mutating func readJSON() throws(CouchError) {
        let text = json
        json = []
        var parser = JSONParser()
        body = try DocumentBody(wire: unsafe text.span.bytes, with: &parser)
        guard let root = parser.root, let attachments = parser.member("_attachments", of: root) else { return }
        var found: [(place: Int, entry: Entry)] = []
        parser.forEachMember(of: attachments) { name, node in
            guard let value = parser.value(of: node).objectValue, value["follows"]?.boolValue == true,
                value["data"] == nil
            else { return }
            let digest = value["digest"]?.stringValue.flatMap { AttachmentDigest($0) }
            let isGzip = value["encoding"]?.stringValue != nil
            found.append((parser.sourceRange(of: node).lowerBound, Entry(name: name, digest: digest, isGzip: isGzip)))
        }
        entries = found.sorted { $0.place < $1.place }.map(\.entry)
    }

    /// - Throws: `bad_request` (400) if it is not the content that the entry's digest names.
    private mutating func assign(_ content: StagedAttachment, _ fileName: String?, isGzip: Bool) throws(CouchError) {
        let digests = [content.digest, content.md5Digest]
        let open = entries.indices.filter { entries[$0].content == nil }
        let place: Int?
        if let fileName {
            place = open.first { entries[$0].name.utf8.elementsEqual(fileName.utf8) }
        } else {
            place = open.first { entries[$0].digest.map { digests.contains($0.text) } ?? false } ?? open.first
        }
        guard let place else {
            throw .badRequest(
                fileName == nil
                    ? "The message has more parts than the document has attachments that follow."
                    : "A part has the name of no attachment that follows, or of one that came already. Name each once."
            )
        }
        if let digest = entries[place].digest, !digests.contains(digest.text) {
            throw .badRequest("The content of an attachment is not the one that its `digest` names. Send it again.")
        }
        entries[place].content = content
        if isGzip { entries[place].isGzip = true }
    }

    /// Returns the document, with the contents and entries that name them.
    ///
    /// - Throws: `bad_request` (400) if parts are missing.
    func finish() throws(CouchError) -> DocumentBody {
        guard var body else { throw .badRequest("The message has no part with the document.") }
        var members = body.attachments ?? JSONObject()
        for entry in entries {
            guard let content = entry.content else {
                throw .badRequest("The message has fewer parts than the document has attachments that follow.")
            }
            var member = members[entry.name]?.objectValue ?? JSONObject()
            member["digest"] = .string(content.digest)
            if entry.isGzip, member["encoding"] == nil { member["encoding"] = "gzip" }
            members[entry.name] = .object(member)
        }
        if !entries.isEmpty {
            body.attachments = members
            body.contentScope = .document(staged: entries.compactMap(\.content))
        }
        return body
    }
}

extension Database {
    /// Calls the engine, with its errors as answers.
    fileprivate func engine<R>(_ work: (Database) throws(StorageError) -> R) throws(CouchError) -> R {
        do throws(StorageError) {
            return try work(self)
        } catch {
            throw CouchError(error)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
