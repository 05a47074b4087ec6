import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Local documents: no tree, no sequence, never listed.
@Suite struct LocalDocumentTests {
    @Test(arguments: Storage.every) func theyAreSavedReplacedAndRemoved(_ type: StorageType) throws {
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

    @Test(arguments: Storage.every) func theyAreListedByThemselves(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["other"].put([:])
            #expect(try database.localDocuments().isEmpty)
            for name in ["é", "b", "a", "e\u{0301}"] { try database["_local/\(name)"].put(["name": .string(name)]) }
            try database["_local/b"].update { $0["more"] = true }
            try database["_local/gone"].put([:])
            try database["_local/gone"].put(["_deleted": true])
            try bed.reopen()
            let all = try bed.database.localDocuments()
            #expect(
                all.map { bytes($0.documentID.string) } == ["a", "b", "e\u{0301}", "é"].map { bytes("_local/\($0)") }
            )
            #expect(all.map(\.id.string) == ["1-local", "2-local", "1-local", "1-local"])
            #expect(all[1].text == #"{"more":true,"name":"b"}"#)
            try bed.database.read { (_) throws in #expect(try bed.database.localDocuments().count == 4) }
        }
    }

    /// Writers that take turns lose nothing, since an update names the revision that it read.
    @Test(arguments: Storage.every) func concurrentUpdatesLoseNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let local = bed.database["_local/counter"]
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<25 { _ = try? local.update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) } }
            }
            #expect(try local["n"] == 100)
            #expect(try local.revision()?.id.string == "100-local")
        }
    }

    @Test(arguments: Storage.every) func theyBelongToTransactions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let local = bed.database["_local/a"]
            expectApplicationError(2) {
                try bed.database.inTransaction {
                    try local.put(["n": 1])
                    #expect(try local["n"] == 1)
                    throw ApplicationError(number: 2)
                }
            }
            #expect(try local.revision() == nil)
            expectError(.conflict) { try local.put([:], parent: RevisionID("1-local")) }
            expectError(.badRequest) { try local.put(["_id": "_local/b"]) }
            expectError(.badJSON) { try local.put(["_what": 1]) }
        }
    }

    @Test(arguments: Storage.every) func theyAreNeitherCountedNorListed(_ type: StorageType) throws {
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
