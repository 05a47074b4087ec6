internal import Crypto
internal import SetteeDocumentValues
internal import StorageProtocol

/// Reads an export line by line, and whole documents with their bodies.
final class ExportReader {
    private(set) var lines: ExportLines
    private var parser = ExportLineParser()
    /// Hashes of the lines that were counted with `hash`, if requested.
    private var hashes: (content: SHA256, store: SHA256)?

    /// - Parameter hashes: Whether digests are computed.
    init(_ file: ExportFile, hashes: Bool = false) {
        lines = ExportLines(file)
        if hashes { self.hashes = (SHA256(), SHA256()) }
    }

    /// Advances to the next line. False at the end.
    func advance() throws(StorageError) -> Bool { try lines.advance() }

    /// Advances to the next line, which must exist.
    func require() throws(StorageError) {
        guard try lines.advance() else {
            throw lines.damaged("The text was cut off: the last line is missing", at: lines.number + 1)
        }
    }

    /// Adds the current line to the digests.
    func hash() throws(StorageError) {
        guard hashes != nil else { return }
        let isStore = lines.begins(with: NeutralFormat.storeStart)
        try lines.withWholeLine { (line) throws(StorageError) in
            unsafe line.withUnsafeBytes { bytes in
                if isStore {
                    unsafe hashes?.store.update(bufferPointer: bytes)
                } else {
                    unsafe hashes?.content.update(bufferPointer: bytes)
                }
            }
        }
    }

    /// Returns the digests so far: of the content, and of the lines outside it.
    func digests() -> (content: String, store: String) {
        guard let hashes else { return ("", "") }
        return (
            NeutralText.hexadecimal(hashes.content.finalize()), NeutralText.hexadecimal(hashes.store.finalize())
        )
    }

    func seek(to offset: UInt64, end: UInt64) { lines.seek(to: offset, end: end) }

    var isBody: Bool { lines.begins(with: NeutralFormat.bodyStart) }
    var isChunk: Bool { lines.begins(with: NeutralFormat.chunkStart) }
    var isStore: Bool { lines.begins(with: NeutralFormat.storeStart) }

    func damaged(_ what: String, cause: (any Error)? = nil) -> StorageError { lines.damaged(what, cause: cause) }

    /// Parses the current line, which must be neither a body nor a chunk.
    func line() throws(StorageError) -> ExportLineParser.Line {
        try lines.withLine { (text) throws(StorageError) in
            do throws(ExportLineParser.Fault) {
                return try parser.line(text)
            } catch {
                throw damaged(error.text, cause: error.cause)
            }
        }
    }

    /// Parses the current line, which must be a body.
    func body<R>(
        _ use: (ExportLineParser.Body, RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard isBody else { throw damaged("a body is missing") }
        return try lines.withLine { (text) throws(StorageError) in
            let end = max(NeutralFormat.bodyStart.count, text.byteCount - 1)
            guard end < text.byteCount, unsafe text.unsafeLoad(fromByteOffset: end, as: UInt8.self) == 0x7D else {
                throw damaged("the body does not end")
            }
            let json = text.extracting(NeutralFormat.bodyStart.count..<end)
            let checked: ExportLineParser.Body
            do throws(ExportLineParser.Fault) {
                checked = try parser.body(json)
            } catch {
                throw damaged(error.text, cause: error.cause)
            }
            return try use(checked, json)
        }
    }

    /// Parses the current line, which must be a chunk.
    func chunk() throws(StorageError) -> [UInt8] {
        guard isChunk else { throw damaged("a chunk of an attachment's content is missing") }
        return try lines.withLine { (text) throws(StorageError) in
            do throws(ExportLineParser.Fault) {
                return try ExportLineParser.chunk(text)
            } catch {
                throw damaged(error.text)
            }
        }
    }

    /// Reads the document that begins at the current line. Afterwards its last line is the current one.
    ///
    /// - Parameter body: Called with each body: the index of its revision, what it refers to, and its JSON.
    /// - Returns: The document's tree, with the sequences of the export.
    @discardableResult
    func document(
        _ document: inout ExportedDocument,
        _ body: (_ index: Int, ExportLineParser.Body, RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> RevisionTree {
        var bodies = [ExportedDocument.BodyFacts?](repeating: nil, count: document.revisions.count)
        // Without a `store` line the first body is already the current line.
        var isAtBody = try !readPlaces(&document)
        for index in document.revisions.indices where document.revisions[index].hasBody {
            if !isAtBody { try require() }
            isAtBody = false
            try hash()
            let revision = document.revisions[index]
            bodies[index] = try self.body { (checked, json) throws(StorageError) in
                try body(index, checked, json)
                return ExportedDocument.BodyFacts(
                    hasAttachments: checked.hasAttachments,
                    checksum: RevisionChecksum.ofBody(json, id: revision.id, isDeleted: revision.isDeleted)
                )
            }
        }
        let tree: RevisionTree
        do throws(StorageError) {
            tree = try document.tree(sequences: document.revisions.map(\.sequence), bodies: bodies)
        } catch {
            throw damaged("the revisions of the document are no tree", cause: error)
        }
        for index in tree.nodes.indices where tree.isLeaf(index) && !document.revisions[index].hasBody {
            throw damaged("a current revision of the document has no body")
        }
        return tree
    }

    /// Advances to the line after the document's, and reads it if it is its `store` line.
    ///
    /// - Returns: Whether it is.
    private func readPlaces(_ document: inout ExportedDocument) throws(StorageError) -> Bool {
        guard document.revisions.contains(where: \.hasBody) else { throw damaged("the document has no body") }
        try require()
        guard isStore else { return false }
        try hash()
        guard case .places(let flags, let sequences) = try line(), flags.count == document.revisions.count,
            sequences.count == flags.count
        else { throw damaged("it does not say something of every revision") }
        document.hasStore = true
        for index in flags.indices {
            let isStored = sequences[index] != 0
            let both = NeutralFormat.flagBody | NeutralFormat.flagAttachments
            guard flags[index] == 0 || flags[index] == NeutralFormat.flagBody || flags[index] == both,
                isStored || flags[index] == 0,
                !document.revisions[index].hasBody || isStored && flags[index] != 0
            else { throw damaged("flags and sequences do not go together") }
            document.revisions[index].flags = flags[index]
            document.revisions[index].sequence = sequences[index]
        }
        return true
    }
}
