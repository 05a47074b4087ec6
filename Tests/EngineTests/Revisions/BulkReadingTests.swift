import Settee
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

/// What a peer asks of many documents at once, and reads of them.
@Suite struct BulkReadingTests {
    private func ids(_ texts: String...) throws -> [RevisionID] { try texts.map { try RevisionID($0) } }

    /// Answers as text: the request's index, the history with its body, or what is missing.
    private func read(_ requests: [RevisionRequest], of database: Database) throws -> [String] {
        var answers: [String] = []
        try database.revisions(requests) { (place, answer, json) throws(StorageError) in
            switch answer {
            case .found(let found):
                let text = json.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                let history = found.history.map(\.string).joined(separator: " ")
                answers.append("\(place) \(history)\(found.isDeleted ? " deleted" : "") \(text)")
                #expect(found.history.first == found.id && found.documentID == requests[place].documentID)
            case .noDocument:
                answers.append("\(place) none")
                #expect(json.byteCount == 0)
            case .missing(let id):
                answers.append("\(place) missing \(id)")
                #expect(json.byteCount == 0)
            }
        }
        return answers
    }

    /// a: 1-a, 2-a, 3-a and 3-b after 2-a, 2-c after 1-a; b: 2-b deleted.
    private func fill(_ database: Database) throws {
        try database["a"].forceInsert(["n": 1], history: ids("1-a"))
        try database["a"].forceInsert(["n": 3], history: ids("3-a", "2-a", "1-a"))
        try database["a"].forceInsert(["n": 4], history: ids("3-b", "2-a"))
        try database["a"].forceInsert(["n": 5], history: ids("2-c", "1-a"), isDeleted: true)
        try database["b"].forceInsert([:], history: ids("2-b", "1-b"), isDeleted: true)
    }

    @Test(arguments: Storage.all) func answersComeInTheOrderOfRequests(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let requests = [
                RevisionRequest(documentID: "b", selection: .current),
                RevisionRequest(documentID: "a", selection: .current),
                RevisionRequest(documentID: "c", selection: .current),
                RevisionRequest(documentID: "a", selection: .leaves),
                RevisionRequest(documentID: "c", selection: .leaves),
                RevisionRequest(documentID: "a", selection: .revisions(try ids("1-a", "2-a", "9-x", "3-a"))),
                RevisionRequest(documentID: "b", selection: .revisions(try ids("2-b"))),
                RevisionRequest(documentID: "c", selection: .revisions(try ids("1-a", "2-a"))),
                RevisionRequest(documentID: "a", selection: .revisions([])),
            ]
            #expect(
                try read(requests, of: bed.database) == [
                    "0 none", #"1 3-b 2-a 1-a {"n":4}"#, "2 none", #"3 3-b 2-a 1-a {"n":4}"#, #"3 3-a 2-a 1-a {"n":3}"#,
                    #"3 2-c 1-a deleted {"n":5}"#, "4 none", #"5 1-a {"n":1}"#, "5 missing 2-a", "5 missing 9-x",
                    #"5 3-a 2-a 1-a {"n":3}"#, "6 2-b 1-b deleted {}", "7 missing 1-a", "7 missing 2-a",
                ]
            )
        }
    }

    @Test(arguments: Storage.all) func theLatestFollowWhatIsAskedFor(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            func latest(_ revisions: String...) throws -> [String] {
                let wanted = try revisions.map { try RevisionID($0) }
                let request = RevisionRequest(documentID: "a", selection: .revisions(wanted), latest: true)
                return try read([request], of: bed.database).map { String($0.split(separator: " ")[1]) }
            }
            #expect(try latest("2-a") == ["3-b", "3-a"])
            #expect(try latest("1-a") == ["3-b", "3-a", "2-c"])
            #expect(try latest("3-a", "2-a", "2-c") == ["3-a", "3-b", "2-c"])
            #expect(try latest("4-a") == ["missing"])
        }
    }

    @Test(arguments: Storage.all) func historiesEndWithWhatIsKnown(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            func history(_ known: String...) throws -> [String] {
                let known = Set(try known.map { try RevisionID($0) })
                let request = RevisionRequest(documentID: "a", selection: .current, knownAncestors: known)
                return try read([request], of: bed.database).map { $0.split(separator: "{")[0].dropLast().description }
            }
            #expect(try history("2-a") == ["0 3-b 2-a"])
            #expect(try history("1-a", "9-x") == ["0 3-b 2-a 1-a"])
            // What is asked for is not its own ancestor.
            #expect(try history("3-b", "2-a") == ["0 3-b 2-a"])
        }
    }

    @Test(arguments: Storage.all) func missingRevisionsKeepTheOrderOfQuestions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try fill(database)
            let questions = try [
                RevisionQuestion(documentID: "new", revisions: ids("1-x", "1-x")),
                RevisionQuestion(documentID: "a", revisions: ids("3-a", "2-c")),
                RevisionQuestion(documentID: "a", revisions: ids("4-x", "3-a", "2-y")),
                RevisionQuestion(documentID: "b", revisions: []),
            ]
            let answers = try database.missingRevisions(questions, ancestors: 2)
            #expect(answers.map { $0?.missing.map(\.string) } == [["1-x"], nil, ["4-x", "2-y"], nil])
            #expect(answers[2]?.possibleAncestors.map(\.string) == ["3-b", "3-a"])
            #expect(answers[0]?.possibleAncestors.isEmpty == true)
            #expect(try database.missingRevisions(questions, ancestors: 0)[2]?.possibleAncestors.isEmpty == true)
            let many = try (0..<2500).map { RevisionQuestion(documentID: "a", revisions: try ids("\($0 % 3 + 1)-a")) }
            #expect(try database.missingRevisions(many, ancestors: 20).allSatisfy { $0 == nil })
            let local = RevisionQuestion(documentID: "_local/x", revisions: [])
            expectError(.badID) { try database.missingRevisions([local], ancestors: 20) }
            let request = RevisionRequest(documentID: "_local/x", selection: .current)
            expectError(.badID) { try read([request], of: database) }
        }
    }
}
