import Settee
import Testing

/// Local documents: no tree, no sequence, never listed.
@Suite struct LocalDocumentTests {
    @Test(arguments: Storage.all) func theyAreSavedReplacedAndRemoved(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let local = bed.database["_local/checkpoint"]
            #expect(try local.revision() == nil)
            #expect(try local.put(["n": 1]).id.string == "1-local")
            #expect(try local.read().text == #"{"n":1}"#)
            let second = try local.put(["n": 2])
            #expect(second.id.string == "2-local")
            #expect(try local.put(["_rev": "2-local", "n": 3]).id.string == "3-local")
            expectError(.conflict) { try local.put(["n": 4], parent: second.id) }
            expectError(.conflict) { try local.delete(parent: second.id) }
            try bed.reopen()
            let reopened = bed.database["_local/checkpoint"]
            #expect(try reopened["n"] == 3)
            #expect(try reopened.delete().isDeleted)
            #expect(try reopened.revision() == nil)
            expectError(.notFound) { try reopened.delete() }
            expectError(.notFound) { try reopened.read() }
            expectError(.conflict) { try reopened.put([:], parent: RevisionID("3-local")) }
            try reopened.put([:])
            #expect(try reopened.purge())
            #expect(try !reopened.purge())
            #expect(try bed.database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.all) func theyAreNeitherCountedNorListed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for name in ["a", "é", "😀", "with/slash", String(repeating: "x", count: 60_000)] {
                try bed.database["_local/\(name)"].put(["name": .string(name)])
            }
            #expect(try bed.database.documentCount == 0)
            #expect(try bed.database.lastSequence == 0)
            #expect(try bed.database.allDocuments(.init(includeDeleted: true)).ids() == [])
            #expect(try bed.database.changes(since: 0).ids() == [])
            #expect(try bed.database["_local/é"]["name"] == "é")
            #expect(try bed.database["_local/e\u{0301}"].revision() == nil)
            #expect(try bed.database["_local/a"].update { $0["more"] = 1 }?.text == #"{"more":1,"name":"a"}"#)
        }
    }
}
