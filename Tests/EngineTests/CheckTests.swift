import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// `check` finds nothing in healthy databases and names what is wrong in damaged ones.
@Suite struct CheckTests {
    @Test(arguments: Storage.every) func healthyDatabasesHaveNoProblems(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            #expect(try database.check().map(\.description) == [])
            try fill(database)
            #expect(try database.check().map(\.description) == [])
            try database.inTransaction {
                try database["inside"].put([:])
                #expect(try database.check().map(\.description) == [])
            }
            try database.compact()
            #expect(try database.check().map(\.description) == [])
        }
    }

    private func fill(_ database: Database) throws {
        for id in ["a", "b", "c"] {
            try database[id].put(["n": 1])
            try database[id].update { $0["n"] = 2 }
        }
        try database["b"].delete()
        try database["c"].purge()
        let foreign = try RevisionID("2-x")
        #expect(try database.forceInsert(DocumentID("a"), history: [foreign], json: bytes("{}"), isDeleted: false))
        try database["_local/l"].put([:])
    }

    /// Every kind of damage, made below the engine, and the area under which it must be named.
    @Test(arguments: Storage.every) func damageIsNamed(_ type: StorageType) throws {
        try expectDamage("flags", type) { draft in draft.flags.formSymmetricDifference(.conflicted) }
        try expectDamage("flags", type) { draft in draft.flags.formSymmetricDifference(.deleted) }
        try expectDamage("winner", type) { draft in draft.winner = try RevisionID("2-x") }
        try expectDamage("tree", type) { draft in draft.tree = [] }
        try expectDamage("tree", type) { draft in draft.tree = [9, 9, 9] }
        try expectDamage("tree", type) { draft in draft.tree.removeLast() }
        try expectDamage("body", type) { draft in draft.body = .replace(bytes("{")) }
        try expectDamage("body", type) { draft in draft.body = .replace([]) }
        try expectDamage("body", type) { draft in draft.body = .replace(bytes("[]")) }
        try expectDamage("body", type) { draft in draft.body = .replace(bytes(#"{"b":1, "a":2}"#)) }
        // The record's sequence is that of its newest revision.
        try expectDamage("sequence", type) { _ in }
    }

    @Test(arguments: Storage.every) func bodiesOfOtherRevisionsMustBeThere(_ type: StorageType) throws {
        // The losing leaf of "a" has sequence 2.
        try expectProblem("body", type) { transaction, _ in try transaction.removeRevisionBody(at: 2) }
        try expectProblem("body", type) { transaction, draft in
            try unsafe transaction.putRevisionBody(bytes("{").span.bytes, at: 2, owner: draft.documentID)
        }
        try expectProblem("body", type) { transaction, draft in
            try unsafe transaction.putRevisionBody(bytes("{}").span.bytes, at: 77, owner: draft.documentID)
        }
        // The body of a document that is gone.
        try expectProblem("body", type) { transaction, draft in
            try transaction.purge(draft.documentID, sequence: 4)
        }
    }

    @Test(arguments: Storage.every) func whatBelongsToNobodyIsNamed(_ type: StorageType) throws {
        try expectProblem("local document", type) { transaction, _ in
            let revision = bytes("nonsense")
            try unsafe transaction.putLocalDocument(
                DocumentID("_local/x"),
                revision: revision.span.bytes,
                json: bytes("{}").span.bytes
            )
        }
        try expectProblem("local document", type) { transaction, _ in
            try unsafe transaction.putLocalDocument(
                DocumentID("_local/x"),
                revision: bytes("1-local").span.bytes,
                json: bytes("nonsense").span.bytes
            )
        }
        try expectProblem("reference", type) { transaction, _ in
            let digest = [UInt8](repeating: 7, count: 20)
            try transaction.setBlobReference(BlobReference(digest: digest, storageName: "x", length: 1, count: 1))
        }
    }

    /// Stores the record of "a" again, changed by `damage`, and expects a problem of `area`.
    private func expectDamage(
        _ area: String,
        _ type: StorageType,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ damage: (inout RecordDraft) throws -> Void
    ) throws {
        try expectProblem(area, type, sourceLocation: sourceLocation) { transaction, draft in
            var draft = draft
            try damage(&draft)
            try transaction.update(draft)
        }
    }

    private func expectProblem(
        _ area: String,
        _ type: StorageType,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ damage: (any WriteTransaction, RecordDraft) throws -> Void
    ) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let id = DocumentID("a")
        let first = try database["a"].put(["n": 1])
        let second = try database["a"].put(["n": 2], parent: first.id)
        let foreign = try RevisionID("9-x")
        #expect(try database.forceInsert(id, history: [foreign], json: bytes("{}"), isDeleted: false))
        #expect(second.sequence == 2)
        #expect(try database.check().map(\.description) == [], sourceLocation: sourceLocation)
        let tree = try #require(try database.revisionTree(of: id))
        let draft = RecordDraft(
            documentID: id,
            flags: tree.documentFlags,
            sequence: 4,
            winner: foreign,
            tree: tree.storedBytes,
            body: .unchanged
        )
        try write(bed) { transaction in try damage(transaction, draft) }
        let areas = Set(try database.check().map(\.area))
        #expect(areas.contains(area), "found only \(areas)", sourceLocation: sourceLocation)
        try bed.manager.close()
    }

    /// Writes below the engine.
    private func write(_ bed: TestDatabase, _ body: (any WriteTransaction) throws -> Void) throws {
        let transaction = try bed.engine().beginWrite()
        defer { transaction.rollback() }
        try body(transaction)
        try transaction.commit()
    }

    /// Reading what is damaged is an error with a status, not a trap.
    @Test(arguments: Storage.every) func damagedDocumentsAreErrors(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try database["x"].put(["n": 1])
        try database["fine"].put([:])
        let id = DocumentID("x")
        try write(bed) { transaction in
            let draft = RecordDraft(
                documentID: id,
                flags: [],
                sequence: 3,
                winner: try RevisionID("1-a"),
                tree: [0xFF, 0xFF],
                body: .replace(bytes("{{{"))
            )
            try transaction.update(draft)
        }
        let document = database["x"]
        expectError(.corrupt) { try document.revision() }
        expectError(.corrupt) { try document.properties }
        expectError(.corrupt) { try document.put([:]) }
        expectError(.corrupt) { try document.update { $0["n"] = 2 } }
        expectError(.corrupt) { try document.delete() }
        let row = try #require(try database.allDocuments(.init(keys: ["x"], includeBodies: true)).rows().first)
        expectError(.corrupt) { try row.revision?.properties }
        #expect(try database["fine"].exists)
        #expect(try !database.check().isEmpty)
        try bed.manager.close()
    }
}
