internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// `_revs_diff` and `_missing_revs`: which revisions of a peer are missing here.
extension Exchange {
    private static let mostAncestors = 20

    func revisionsDiff(_ resource: Route.DatabaseResource, of served: ServedDatabase) async throws -> Answer {
        let wanted = try await jsonObject(upTo: core.options.bulkBytes)
        var questions: [RevisionQuestion] = []
        questions.reserveCapacity(wanted.count)
        // IDs that no document here can have. Their revisions are missing; who sends them is told so by name.
        var strange: [(id: String, revisions: [RevisionID])] = []
        for (id, value) in wanted {
            guard let texts = value.arrayValue else { throw CouchError.badRequest("Revisions must be in an array.") }
            var revisions: [RevisionID] = []
            for text in texts {
                guard let text = text.stringValue else { throw CouchError.invalidRevision }
                revisions.append(try RevisionID(wire: text))
            }
            if let id = try? Exchange.documentID(id) {
                questions.append(RevisionQuestion(documentID: id, revisions: revisions))
            } else if !revisions.isEmpty {
                strange.append((id, revisions))
            }
        }
        let isDiff = resource == .revisionsDiff
        let answers = try await blocking { [questions] in
            try served.database.missingRevisions(questions, ancestors: isDiff ? Exchange.mostAncestors : 0)
        }
        return .json { [strange] text in
            text.raw(isDiff ? "{" : #"{"missing_revs":{"#)
            var isFirst = true
            for (question, answer) in zip(questions, answers) {
                guard let answer else { continue }
                if !isFirst { text.raw(",") }
                isFirst = false
                text.string(question.documentID.string)
                text.raw(isDiff ? #":{"missing":"# : ":")
                text.list(answer.missing)
                guard isDiff else { continue }
                if !answer.possibleAncestors.isEmpty {
                    text.raw(#","possible_ancestors":"#)
                    text.list(answer.possibleAncestors)
                }
                text.raw("}")
            }
            for (id, revisions) in strange {
                if !isFirst { text.raw(",") }
                isFirst = false
                text.string(id)
                text.raw(isDiff ? #":{"missing":"# : ":")
                text.list(revisions)
                if isDiff { text.raw("}") }
            }
            text.raw(isDiff ? "}" : "}}")
        }
    }
}

extension JSONAnswerText {
    /// Adds an array of revision IDs.
    mutating func list(_ revisions: [RevisionID]) {
        raw("[")
        for (place, revision) in revisions.enumerated() {
            if place > 0 { raw(",") }
            self.revision(revision)
        }
        raw("]")
    }
}
