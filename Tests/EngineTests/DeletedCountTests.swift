internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeEngine

/// The number of tombstones.
@Suite struct DeletedCountTests {
    @Test("it is kept up by each kind of change", arguments: [StorageType.memory, .sqlite, .lmdb])
    func changes(type: StorageType) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        let database = try manager.database(named: "db")
        #expect(try database.deletedDocumentCount == 0)
        for number in 0..<10 { try database["d\(number)"].put(["n": .int(Int64(number))]) }
        for number in 0..<4 { try database["d\(number)"].delete() }
        #expect(try database.deletedDocumentCount == 4)
        // A tombstone becomes a document again; one of each kind is purged.
        try database["d0"].put(["n": 1])
        #expect(try database["d1"].purge())
        #expect(try database["d9"].purge())
        #expect(try database.deletedDocumentCount == 2)
        let outcomes = try database.forceInsert([
            ForeignRevision("f0", [:], history: [RevisionID("2-b"), RevisionID("1-a")], isDeleted: true),
            ForeignRevision("f1", [:], history: [RevisionID("1-a")]),
        ])
        #expect(outcomes.count == 2)
        #expect(try database.deletedDocumentCount == 3)
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try database.inTransaction { () throws in
                try database["d5"].delete()
                #expect(try database.deletedDocumentCount == 4)
                throw Undo()
            }
        }
        #expect(try database.deletedDocumentCount == 3)
        #expect(try database.documentCount == 7)
        try manager.close()
        // Counted anew, it is the same.
        if type != .memory {
            let again = try Manager(directory: folder.url)
            #expect(try again.existingDatabase(named: "db")?.deletedDocumentCount == 3)
            try again.close()
        }
    }

    @Test("a commit of another process makes it unknown")
    func otherProcess() {
        let count = RecordCount()
        #expect(count.count(at: 0) == nil)
        count.set(5, at: 10)
        count.committed(from: 10, to: 12, added: 2)
        #expect(count.count(at: 12) == 7)
        #expect(count.count(at: 13) == nil)
        count.committed(from: 13, to: 14, added: 1)
        #expect(count.count(at: 14) == nil)
        count.committed(from: 12, to: 15, added: -8)
        #expect(count.count(at: 15) == nil)
    }
}
