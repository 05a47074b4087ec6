internal import SetteeDocumentValues
internal import StorageProtocol

/// Stubs of revisions from elsewhere that name their contents by MD5.
extension Database {
    /// A stub that may stand for one of the contents that the revision's ancestors have.
    private struct Question {
        let md5: [UInt8]
        /// The SHA-1s of those contents, in the order in which they are compared.
        let candidates: [[UInt8]]
    }

    /// Computes and keeps the MD5s that the stubs of these revisions will be compared with, so that the transaction
    /// that adds them need not read contents, and other writers do not wait for that.
    ///
    /// Inside a transaction or closure it does nothing. What it does not find, or cannot read, is left to the
    /// transaction: contents that come with an earlier one of the same revisions, for example.
    package func prepareStubs(of revisions: [ForeignRevision]) {
        guard !isReadOnly, ThreadContext.current.activity(on: self) == nil else { return }
        let wanted = revisions.filter { $0.body.attachments != nil }
        guard !wanted.isEmpty else { return }
        let questions = try? withReadTransaction { (transaction) throws(StorageError) in
            var questions: [Question] = []
            for revision in wanted { questions += try self.questions(of: revision, in: transaction) }
            return questions
        }
        for question in questions ?? [] {
            for sha1 in question.candidates {
                // The first one that matches is taken.
                if (try? md5(ofContents: [sha1]))?.first == question.md5 { break }
            }
        }
    }

    private func questions(
        of revision: ForeignRevision,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Question] {
        guard let own = revision.history.first, let parent = revision.history.dropFirst().first else { return [] }
        var entries: [(name: String, entry: AttachmentEntry, md5: [UInt8])] = []
        for (name, value) in revision.body.attachments ?? JSONObject() {
            guard var entry = try? AttachmentEntry(value), entry.isStub, let digest = entry.digest, digest.kind == .md5
            else { continue }
            entry.revpos = min(entry.revpos, own.generation)
            entries.append((name, entry, digest.bytes))
        }
        guard !entries.isEmpty,
            let stored = try StoredDocument(revision.documentID, of: self, in: transaction),
            stored.tree.index(of: own) == nil
        else { return [] }
        var stubs: [AttachmentStub] = []
        for node in stored.tree.history(of: parent) where node.hasAttachments {
            guard let index = stored.tree.index(of: node.id), let json = try stored.json(at: index) else { continue }
            stubs += try unsafe AttachmentStub.all(in: json.span.bytes)
        }
        return entries.compactMap { (name, entry, md5) in
            guard !stubs.contains(where: { entry.names($0, name) }) else { return nil }
            let candidates = stubs.filter(entry.hasLength(of:)).map(\.digest)
            return candidates.isEmpty ? nil : Question(md5: md5, candidates: candidates)
        }
    }
}
