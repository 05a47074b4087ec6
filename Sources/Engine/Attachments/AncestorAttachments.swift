internal import SetteeDocumentValues
internal import StorageProtocol

/// The attachments of a new revision's ancestors, newest first, and of the document's other revisions. Read when the
/// first stub needs them.
struct AncestorAttachments {
    private let session: WriteSession
    private let documentID: DocumentID
    private var unread: ArraySlice<RevisionTree.Node>
    private let winner: RevisionID?
    private var read: [[AttachmentStub]] = []
    private let tree: RevisionTree?
    private let parent: RevisionID?
    /// The digests that revisions of other lines have.
    private var others: Set<[UInt8]>?

    init(_ session: WriteSession, _ id: DocumentID, _ tree: RevisionTree?, _ parent: RevisionID?) {
        self.session = session
        documentID = id
        self.tree = tree
        self.parent = parent
        let line = parent.flatMap { tree?.history(of: $0) } ?? []
        unread = line[...]
        winner = tree?.winner?.id
    }

    /// Whether the parent has this attachment of an ancestor, under its name and with its content.
    mutating func parentHas(_ stub: AttachmentStub) throws(StorageError) -> Bool {
        if read.isEmpty, let parent = unread.popFirst() { read.append(try attachments(of: parent)) }
        return read.first?.contains { $0.name.utf8.elementsEqual(stub.name.utf8) && $0.digest == stub.digest } ?? false
    }

    /// Returns the attachment of the nearest ancestor that has one with this name, and with this digest if one is
    /// given.
    mutating func attachment(_ name: String, _ digest: AttachmentDigest?) throws(StorageError) -> AttachmentStub? {
        try attachment { stub in
            stub.name.utf8.elementsEqual(name.utf8)
                && (digest == nil || digest == AttachmentDigest(.sha1, stub.digest))
        }
    }

    /// Returns the attachment of the nearest ancestor that has one for which `matches` is true.
    mutating func attachment(
        _ matches: (AttachmentStub) throws(StorageError) -> Bool
    ) throws(StorageError) -> AttachmentStub? {
        var position = 0
        while true {
            if position == read.count {
                guard let node = unread.popFirst() else { return nil }
                read.append(try attachments(of: node))
            }
            for stub in read[position] where try matches(stub) { return stub }
            position += 1
        }
    }

    /// Whether a kept revision of the document, an ancestor or not, has the content with this SHA-1.
    mutating func documentHas(_ digest: [UInt8]) throws(StorageError) -> Bool {
        if try attachment({ $0.digest == digest }) != nil { return true }
        if let others { return others.contains(digest) }
        let line = Set(parent.flatMap { tree?.history(of: $0) }?.map(\.id) ?? [])
        var others: Set<[UInt8]> = []
        for node in tree?.nodes ?? [] where !line.contains(node.id) {
            for stub in try attachments(of: node) { others.insert(stub.digest) }
        }
        self.others = others
        return others.contains(digest)
    }

    private func attachments(of node: RevisionTree.Node) throws(StorageError) -> [AttachmentStub] {
        guard node.hasAttachments, node.sequence != 0 else { return [] }
        let body =
            node.id == winner ? try session.winnerBody(of: documentID) : try session.revisionBody(at: node.sequence)
        guard let body else { return [] }
        return try unsafe AttachmentStub.all(in: body.span.bytes)
    }
}
