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
        for (id, value) in wanted {
            guard let texts = value.arrayValue else { throw CouchError.badRequest("Revisions must be in an array.") }
            var revisions: [RevisionID] = []
            for text in texts {
                guard let text = text.stringValue else { throw CouchError.invalidRevision }
                revisions.append(try RevisionID(wire: text))
            }
            questions.append(RevisionQuestion(documentID: try Exchange.documentID(id), revisions: revisions))
        }
        let isDiff = resource == .revisionsDiff
        let answers = try await blocking { [questions] in
            try served.database.missingRevisions(questions, ancestors: isDiff ? Exchange.mostAncestors : 0)
        }
        return .json { text in
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
