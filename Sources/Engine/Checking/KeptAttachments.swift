internal import SetteeDocumentValues
internal import StorageProtocol

/// The attachments of a document's revisions whose bodies are kept. Finds those whose content is newer than their
/// `revpos` says.
struct KeptAttachments {
    private var attachments: [RevisionID: [AttachmentStub]] = [:]

    mutating func add(_ stubs: [AttachmentStub], of revision: RevisionID) {
        if !stubs.isEmpty { attachments[revision] = stubs }
    }

    /// A receiver that has a revision of the attachment's `revpos`, or a later one, expects to have its content. So no
    /// such ancestor may have another content under its name. What was compacted away cannot be compared.
    func problems(of id: DocumentID, _ tree: RevisionTree) -> [String] {
        guard attachments.count > 1 else { return [] }
        var problems: [String] = []
        for node in tree.nodes {
            for attachment in attachments[node.id] ?? [] {
                let other = tree.ancestors(of: node.id).first { ancestor in
                    guard ancestor.id.generation >= attachment.revpos else { return false }
                    return attachments[ancestor.id]?.contains { attachment.hasAnotherContent(than: $0) } ?? false
                }
                guard let other else { continue }
                problems.append(
                    "an attachment of revision \(node.id.string) of document '\(id)' has the 'revpos' "
                        + "\(attachment.revpos), but revision \(other.id.string) has another content, which servers "
                        + "that have it may keep; save the attachment again"
                )
            }
        }
        return problems
    }
}

extension AttachmentStub {
    /// Whether the other one has this name, and another content. The same content has another digest where it is
    /// encoded, or encoded by another program: replicators bring it either way. Then only lengths tell.
    fileprivate func hasAnotherContent(than other: AttachmentStub) -> Bool {
        guard name.utf8.elementsEqual(other.name.utf8), digest != other.digest else { return false }
        let isEncoded = encodedLength != nil || other.encodedLength != nil
        return !isEncoded || length != other.length
    }
}
