internal import SetteeDocumentValues
public import StorageProtocol

extension Database {
    /// Returns which of the given revisions of documents are missing, and which known ones may be their ancestors. A
    /// revision of which only the ID is known is not missing.
    ///
    /// - Returns: the documents of which something is missing.
    /// - Throws: `badID` (494) for a local document.
    /// - Complexity: O(log n) for each document, and its tree.
    public func missingRevisions(
        _ revisions: [DocumentID: [RevisionID]]
    ) throws(StorageError) -> [DocumentID: MissingRevisions] {
        var answer: [DocumentID: MissingRevisions] = [:]
        let questions = revisions.map { RevisionQuestion(documentID: $0.key, revisions: $0.value) }
        try withReadTransaction { (transaction) throws(StorageError) in
            for (question, missing) in zip(questions, try missing(questions, ancestors: Int.max, in: transaction)) {
                if let missing { answer[question.documentID] = missing }
            }
        }
        return answer
    }

    /// Answers questions about any number of documents, 1,000 of them from one state.
    ///
    /// - Parameter ancestors: the highest number of possible ancestors of an answer.
    /// - Returns: an answer for each question, in their order; nil where nothing is missing.
    /// - Throws: `badID` (494) for a local document.
    /// - Complexity: O(log n) for each document, and its tree.
    package func missingRevisions(
        _ questions: [RevisionQuestion],
        ancestors: Int
    ) throws(StorageError) -> [MissingRevisions?] {
        var answers: [MissingRevisions?] = []
        answers.reserveCapacity(questions.count)
        var rest = questions[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Database.questionsAtOnce))
            rest = rest.dropFirst(some.count)
            answers += try withReadTransaction { (transaction) throws(StorageError) in
                try missing(some, ancestors: ancestors, in: transaction)
            }
        }
        return answers
    }

    private static let questionsAtOnce = 1000

    private func missing(
        _ questions: [RevisionQuestion],
        ancestors: Int,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [MissingRevisions?] {
        var ids: [DocumentID] = []
        ids.reserveCapacity(questions.count)
        for question in questions {
            let id = try question.documentID.checked()
            guard !id.isLocal else { throw Database.noTree }
            ids.append(id)
        }
        var answers = [MissingRevisions?](repeating: nil, count: questions.count)
        var exists = [Bool](repeating: false, count: questions.count)
        try transaction.records(ids: ids, fields: .tree) { (place, record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            exists[place] = true
            answers[place] = questions[place].missing(in: tree)
            if let highest = answers[place]?.missing.lazy.map(\.generation).max() {
                let stored = StoredDocument(ids[place], tree: tree, of: self, in: transaction)
                answers[place]?.possibleAncestors = try stored.possibleAncestors(
                    below: highest,
                    limit: ancestors,
                    withBodiesOnly: false
                )
            }
            return true
        }
        for place in questions.indices where !exists[place] { answers[place] = questions[place].missing(in: nil) }
        return answers
    }
}

extension RevisionQuestion {
    /// Returns what a document with this tree lacks, without possible ancestors; nil if it has everything.
    fileprivate func missing(in tree: RevisionTree?) -> MissingRevisions? {
        // Mostly one is offered, and it is the winner.
        if revisions.count == 1, tree?.index(of: revisions[0]) != nil { return nil }
        var known = Set(tree?.nodes.lazy.map(\.id) ?? [])
        // A revision that is given twice is reported once.
        let missing = revisions.filter { known.insert($0).inserted }
        return missing.isEmpty ? nil : MissingRevisions(missing: missing, possibleAncestors: [])
    }
}
