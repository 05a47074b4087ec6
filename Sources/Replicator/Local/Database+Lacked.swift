internal import SetteeEngine
internal import StorageProtocol

extension Database {
    private static let mostAncestors = 20

    /// Which of these revisions are missing here; nil for a document that has all. Blocks.
    ///
    /// A document or revision whose ID is none is missing: inserting it tells what is wrong with it.
    func lacked(_ documents: [OfferedDocument]) throws -> [LackedRevisions?] {
        var answers: [LackedRevisions?] = []
        answers.reserveCapacity(documents.count)
        var questions: [RevisionQuestion] = []
        questions.reserveCapacity(documents.count)
        var places: [Int] = []
        for document in documents {
            guard let id = try? DocumentID(document.id), !id.isLocal else {
                answers.append(LackedRevisions(missing: document.revisions, possibleAncestors: []))
                continue
            }
            var revisions: [RevisionID] = []
            var bad: [String] = []
            revisions.reserveCapacity(document.revisions.count)
            for text in document.revisions {
                if let revision = try? RevisionID(text) { revisions.append(revision) } else { bad.append(text) }
            }
            answers.append(bad.isEmpty ? nil : LackedRevisions(missing: bad, possibleAncestors: []))
            questions.append(RevisionQuestion(documentID: id, revisions: revisions))
            places.append(answers.count - 1)
        }
        for (place, answer) in zip(places, try missingRevisions(questions, ancestors: Database.mostAncestors)) {
            guard let answer else { continue }
            let missing = answer.missing.map(\.string) + (answers[place]?.missing ?? [])
            answers[place] = LackedRevisions(
                missing: missing,
                possibleAncestors: answer.possibleAncestors.map(\.string)
            )
        }
        return answers
    }
}
