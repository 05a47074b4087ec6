import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// One byte of a body, a tree or a local document is changed below the engine, so that the result is as well-formed as
/// before if possible: `check` reports each. Some 18 of 330 used to go unnoticed.
@Suite struct CheckDamageTests {
    /// Documents with what checks look at: own and foreign revisions, old and losing bodies, a tombstone, numbers,
    /// texts.
    private func fill(_ bed: TestDatabase) throws {
        let database = bed.database
        let first = try database["own"].put(["n": 1, "text": "Little, Big", "flag": true])
        let second = try database["own"].put(["n": 22, "text": "Big, Little"], parent: first.id)
        try database["own"].put(["n": 333], parent: second.id)
        for text in ["3-a", "3-b", "3-c"] {
            try database["foreign"].forceInsert(["s": .string(text)], history: [RevisionID(text), RevisionID("2-x")])
        }
        let doomed = try database["gone"].put(["a": 1])
        try database["gone"].put(json: #"{"_deleted":true,"why":"tidying"}"#, parent: doomed.id)
        for number in 0..<30 { try database["long"].update { $0["n"] = JSONValue(number) } }
        try database["_local/l"].put(["page": 12])
        #expect(try database.check().map(\.description) == [])
    }

    @Test(arguments: Storage.every) func everyChangedByteIsNamed(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try fill(bed)
        var damages = 0
        for id in ["own", "foreign", "gone", "long"] {
            let tree = try #require(try bed.database.revisionTree(of: DocumentID(id)))
            for place in tree.storedBytes.indices {
                damages += 1
                try expectNamed(bed, "byte \(place) of the tree of \(id)") { transaction in
                    try change(transaction, id) { tree, _ in tree[place] ^= 1 << UInt8(place % 8) }
                }
            }
            let bodies = tree.nodes.enumerated().filter { $1.sequence != 0 }
            for (index, node) in bodies {
                let body = try #require(try bed.database[id].revision(node.id)).json
                for place in body.indices {
                    damages += 1
                    var changed = body
                    // A digit for a digit and a letter for a letter.
                    changed[place] ^= 1
                    try expectNamed(bed, "byte \(place) of body \(index) of \(id)") { transaction in
                        if index == 0 {
                            try self.change(transaction, id) { _, winner in winner = changed }
                        } else {
                            try unsafe transaction.putRevisionBody(
                                changed.span.bytes,
                                at: node.sequence,
                                owner: DocumentID(id)
                            )
                        }
                    }
                }
            }
        }
        let local = try #require(try bed.database["_local/l"].revision()).json
        for place in local.indices {
            damages += 1
            var changed = local
            changed[place] ^= 1
            try expectNamed(bed, "byte \(place) of the local document") { transaction in
                let revision = unsafe LocalRevision.stored(try RevisionID("1-local"), local.span.bytes)
                try unsafe transaction.putLocalDocument(
                    DocumentID("_local/l"),
                    revision: revision.span.bytes,
                    json: changed.span.bytes
                )
            }
        }
        #expect(damages > 900)
        try bed.manager.close()
    }

    /// Trees that are sound in themselves, but have other revisions than were stored.
    @Test(arguments: Storage.every) func anotherRevisionIDIsNamed(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try fill(bed)
        for id in ["own", "foreign", "gone", "long"] {
            let tree = try #require(try bed.database.revisionTree(of: DocumentID(id)))
            let revisions = tree.nodes
            for index in revisions.indices where revisions[index].hasBody {
                var parts = revisions.map { node in
                    RevisionTree.Part(
                        id: node.id,
                        parent: node.parent,
                        isDeleted: node.isDeleted,
                        hasBody: node.hasBody,
                        hasAttachments: node.hasAttachments,
                        sequence: node.sequence,
                        bodyChecksum: node.bodyChecksum
                    )
                }
                parts[index].id = try RevisionID("\(parts[index].id.generation)-3abc")
                guard let other = try? RevisionTree(parts: parts) else { continue }
                try expectNamed(bed, "revision \(index) of \(id)") { transaction in
                    try change(transaction, id, winner: other.winner?.id) { tree, _ in tree = other.storedBytes }
                }
            }
        }
        try bed.manager.close()
    }

    /// Makes a change in a transaction that is rolled back, and runs the check inside it.
    private func expectNamed(
        _ bed: TestDatabase,
        _ what: Comment,
        _ damage: (any WriteTransaction) throws -> Void
    ) throws {
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try bed.database.withWriteSession { session in
                try damage(session.transaction)
                var checker = DatabaseChecker(
                    bed.database,
                    try session.transaction,
                    BlobCheck(database: bed.database, store: try bed.database.blobStore())
                )
                try checker.run()
                let areas = Set(checker.problems.map(\.area))
                // A record that is stored again has a new sequence, which is a problem of its own.
                #expect(!areas.isDisjoint(with: ["tree", "body", "local document"]), what)
                throw Undo()
            }
        }
    }

    private func change(
        _ transaction: any WriteTransaction,
        _ id: String,
        winner: RevisionID? = nil,
        _ damage: (_ tree: inout [UInt8], _ body: inout [UInt8]) -> Void
    ) throws {
        var found: (tree: RevisionTree, body: [UInt8])?
        _ = try transaction.record(DocumentID(id), fields: .all) { (record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            found = (tree, record.bodyCopy())
        }
        let stored = try #require(found)
        var tree = stored.tree.storedBytes
        var body = stored.body
        damage(&tree, &body)
        try transaction.update(
            RecordDraft(
                documentID: DocumentID(id),
                flags: stored.tree.documentFlags,
                sequence: try transaction.counters().lastSequence + 1,
                winner: try winner ?? #require(stored.tree.winner).id,
                tree: tree,
                body: .replace(body)
            )
        )
    }
}
