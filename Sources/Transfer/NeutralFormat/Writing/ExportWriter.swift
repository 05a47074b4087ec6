internal import Crypto
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeStorageFiles
internal import StorageProtocol

/// Writes the neutral export of one snapshot.
struct ExportWriter {
    typealias Sink = ([UInt8]) throws(StorageError) -> Void

    /// Text is passed on when this much of it has been collected.
    private static let pieceLength = 1 << 18

    private let transaction: any ReadTransaction
    private let database: Database
    /// Nil: only the digest is computed.
    private let sink: Sink?
    private var text: [UInt8] = []
    private var content = SHA256()
    private var store = SHA256()
    private var summary = ExportSummary()

    init(_ transaction: any ReadTransaction, of database: Database, sink: Sink?) {
        self.transaction = transaction
        self.database = database
        self.sink = sink
    }

    mutating func run() throws(StorageError) -> ExportSummary {
        try line { $0.append(contentsOf: NeutralFormat.header) }
        try writeInfo()
        try writeLocalDocuments()
        try writeDocuments()
        try writeBlobs()
        try writeEnd()
        return summary
    }

    // MARK: - Lines

    /// Adds a line of content.
    private mutating func line(_ write: (inout [UInt8]) -> Void) throws(StorageError) {
        let start = text.count
        write(&text)
        text.append(UInt8(ascii: "\n"))
        unsafe text.withUnsafeBytes { bytes in
            unsafe content.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        try handOn()
    }

    /// Adds a line that is not content.
    private mutating func storeLine(_ write: (inout [UInt8]) -> Void) throws(StorageError) {
        guard sink != nil else { return }
        let start = text.count
        text.append(contentsOf: NeutralFormat.storeStart)
        write(&text)
        text.append(contentsOf: "}\n".utf8)
        unsafe text.withUnsafeBytes { bytes in
            unsafe store.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        try handOn()
    }

    private mutating func handOn(all: Bool = false) throws(StorageError) {
        guard all || text.count >= ExportWriter.pieceLength else { return }
        try sink?(text)
        if text.capacity > 8 * ExportWriter.pieceLength {
            text = []
        } else {
            text.removeAll(keepingCapacity: true)
        }
    }

    private mutating func bodyLine(_ body: RawSpan) throws(StorageError) {
        try line { text in
            text.append(contentsOf: NeutralFormat.bodyStart)
            unsafe body.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
            text.append(UInt8(ascii: "}"))
        }
    }

    // MARK: - Values and local documents

    private mutating func writeInfo() throws(StorageError) {
        let values = try transaction.allInfo()
        let counters = try transaction.counters()
        let identity = values.filter { NeutralFormat.isIdentity($0.key) }
        let uuid = database.folder?.databaseUUID
        try storeLine { text in
            text.append(contentsOf: "{\"info\":{".utf8)
            // They are few, and ASCII, so the order of bytes is that of canonical JSON.
            for (index, value) in identity.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONText.append(value.key, to: &text)
                text.append(UInt8(ascii: ":"))
                NeutralText.append(base64: value.value, to: &text)
            }
            text.append(contentsOf: "},\"lastSequence\":\(counters.lastSequence)".utf8)
            if let uuid {
                text.append(contentsOf: ",\"uuid\":".utf8)
                JSONText.append(uuid, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
        for (key, value) in values where NeutralFormat.isContent(key) {
            summary.infoValues += 1
            try line { text in
                text.append(contentsOf: "{\"info\":{\"key\":".utf8)
                JSONText.append(key, to: &text)
                text.append(contentsOf: ",\"value\":".utf8)
                NeutralText.append(base64: value, to: &text)
                text.append(contentsOf: "}}".utf8)
            }
        }
    }

    private mutating func writeLocalDocuments() throws(StorageError) {
        try transaction.orderedLocalDocuments { (id, revision, json) throws(StorageError) in
            let revision = try LocalRevision.id(stored: revision)
            summary.localDocuments += 1
            try line { text in
                text.append(contentsOf: "{\"local\":{\"id\":".utf8)
                JSONText.append(id.string, to: &text)
                text.append(contentsOf: ",\"rev\":".utf8)
                JSONText.append(revision.string, to: &text)
                text.append(contentsOf: "}}".utf8)
            }
            try bodyLine(json)
            return true
        }
    }

    // MARK: - Documents

    private mutating func writeDocuments() throws(StorageError) {
        try transaction.orderedRecords(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            let id = try record.documentID()
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            var kept = [Bool](repeating: false, count: tree.count)
            for (index, node) in tree.nodes.enumerated() {
                kept[index] = index == 0 ? true : try hasBody(node)
                if tree.isLeaf(index), !kept[index] { throw ExportWriter.missingBody(of: node.id, id) }
            }
            let expiration = try transaction.expiration(of: id)
            summary.documents += 1
            summary.revisions += tree.count
            try line { text in ExportWriter.append(id, tree, kept: kept, expiration: expiration, to: &text) }
            try storeLine { text in ExportWriter.append(storeOf: tree, to: &text) }
            try record.withBody { (body) throws(StorageError) in try bodyLine(body) }
            for (index, node) in tree.nodes.enumerated() where index > 0 && kept[index] {
                let found = try transaction.revisionBody(at: node.sequence) { (body) throws(StorageError) in
                    try bodyLine(body)
                }
                if !found { throw ExportWriter.missingBody(of: node.id, id) }
            }
            return true
        }
    }

    private func hasBody(_ node: RevisionTree.Node) throws(StorageError) -> Bool {
        guard node.sequence != 0 else { return false }
        return try transaction.revisionBody(at: node.sequence) { (_) throws(StorageError) in }
    }

    private static func missingBody(of revision: RevisionID, _ id: DocumentID) -> StorageError {
        .corrupt("The body of revision \(revision.string) of document '\(id)' is missing")
    }

    private static func append(
        _ id: DocumentID,
        _ tree: RevisionTree,
        kept: [Bool],
        expiration: Int64?,
        to text: inout [UInt8]
    ) {
        text.append(contentsOf: "{\"document\":{".utf8)
        if let expiration { text.append(contentsOf: "\"expires\":\(expiration),".utf8) }
        text.append(contentsOf: "\"id\":".utf8)
        JSONText.append(id.string, to: &text)
        text.append(contentsOf: ",\"revisions\":[".utf8)
        for (index, node) in tree.nodes.enumerated() {
            text.append(contentsOf: index > 0 ? ",{".utf8 : "{".utf8)
            if kept[index] { text.append(contentsOf: "\"body\":true,".utf8) }
            if node.isDeleted { text.append(contentsOf: "\"deleted\":true,".utf8) }
            if let parent = node.parent { text.append(contentsOf: "\"parent\":\(parent),".utf8) }
            text.append(contentsOf: "\"rev\":".utf8)
            JSONText.append(node.id.string, to: &text)
            text.append(UInt8(ascii: "}"))
        }
        text.append(contentsOf: "]}}".utf8)
    }

    private static func append(storeOf tree: RevisionTree, to text: inout [UInt8]) {
        text.append(contentsOf: "{\"flags\":[".utf8)
        for (index, node) in tree.nodes.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            let flags =
                (node.hasBody ? NeutralFormat.flagBody : 0) | (node.hasAttachments ? NeutralFormat.flagAttachments : 0)
            text.append(contentsOf: String(flags).utf8)
        }
        text.append(contentsOf: "],\"sequences\":[".utf8)
        for (index, node) in tree.nodes.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: String(node.sequence).utf8)
        }
        text.append(contentsOf: "]}".utf8)
    }

    // MARK: - Attachments

    private mutating func writeBlobs() throws(StorageError) {
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            guard reference.count > 0 else { return true }
            try write(reference)
            return true
        }
    }

    private mutating func write(_ reference: BlobReference) throws(StorageError) {
        let digest = NeutralText.hexadecimal(reference.digest)
        guard let reader = try database.blobReader(reference.storageName), reader.length == reference.length else {
            throw .corrupt("The content of an attachment is missing or has another length; `check` names it")
        }
        summary.blobs += 1
        try line { $0.append(contentsOf: "{\"blob\":{\"length\":\(reference.length),\"sha1\":\"\(digest)\"}}".utf8) }
        var hash = Insecure.SHA1()
        var offset: UInt64 = 0
        while offset < reference.length {
            let piece = try reader.read(at: offset, count: NeutralFormat.chunkLength)
            if piece.isEmpty { break }
            hash.update(data: piece)
            offset += UInt64(piece.count)
            try line { text in
                text.append(contentsOf: "{\"chunk\":".utf8)
                NeutralText.append(base64: piece, to: &text)
                text.append(UInt8(ascii: "}"))
            }
        }
        guard offset == reference.length, hash.finalize().elementsEqual(reference.digest) else {
            throw .corrupt("The content of an attachment is damaged; `check` names it")
        }
    }

    // MARK: - The end

    private mutating func writeEnd() throws(StorageError) {
        summary.digest = NeutralText.hexadecimal(content.finalize())
        let end = """
            {"end":{"blobs":\(summary.blobs),"digest":"\(summary.digest)","documents":\(summary.documents),\
            "info":\(summary.infoValues),"locals":\(summary.localDocuments),"revisions":\(summary.revisions),\
            "store":"\(NeutralText.hexadecimal(store.finalize()))"}}

            """
        text.append(contentsOf: end.utf8)
        try handOn(all: true)
    }
}
