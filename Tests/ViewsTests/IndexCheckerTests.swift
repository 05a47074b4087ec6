import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeIndexes
@testable import SetteeViews

/// `check` compares indexes with documents.
@Suite struct IndexCheckerTests {
    /// Changes a view's index below the database, checks, and restores it.
    private func expectProblem(
        _ bed: TestDatabase,
        _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ damage: (any WriteTransaction, _ index: String) throws(StorageError) -> Void
    ) throws {
        #expect(try bed.database.check().map(\.description) == [], sourceLocation: sourceLocation)
        let index = try #require(
            try bed.engine().read { (transaction) throws(StorageError) in try transaction.indexNames() }.first
        )
        try bed.database.change { (session) throws(StorageError) in
            session.noteChange()
            try damage(session.transaction, index)
        }
        let problems = try bed.database.check().map(\.description)
        #expect(problems.contains { $0.contains(words) }, "\(problems)", sourceLocation: sourceLocation)
        #expect(!problems.contains { $0.contains("secret") }, "No content is told.", sourceLocation: sourceLocation)
        try bed.view().deleteIndex()
        try bed.view().updateIndex()
        #expect(try bed.view().query().sources() == ["a", "b", "a"], sourceLocation: sourceLocation)
    }

    private func batch(
        _ id: String,
        _ sequence: UInt64,
        _ rows: [(key: JSONValue, value: JSONValue?)]
    ) throws -> IndexBatch {
        var emitted = EmittedRows(.unicode)
        try emitted.begin(DocumentID(id), sequence)
        for (key, value) in rows { emitted.add(key, value) }
        return emitted.batch
    }

    @Test(arguments: Storage.all) func everyDifferenceIsFound(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["secret": "secret"])
            try bed.database["b"].put([:])
            try bed.database["c"].put([:])
            try bed.database["c"].delete()
            try bed.database["purged"].put([:])
            try bed.database["purged"].purge()
            try bed.view().setMap(version: "1") { document, emit in
                emit(.string(document.id.string), 1)
                if document.id == "a" { emit("secret", 2) }
            }
            try bed.view().updateIndex()
            func replace(_ batch: IndexBatch) -> (any WriteTransaction, String) throws(StorageError) -> Void {
                { (transaction, index) throws(StorageError) in
                    var changes = RowChanges(recordsPositions: false)
                    try transaction.replaceIndexRows(index, by: [batch], areNew: false, changes: &changes)
                }
            }
            let differ = "missing or differ"
            try expectProblem(bed, differ, replace(batch("a", 1, [("a", 1)])))
            try expectProblem(bed, differ, replace(batch("a", 1, [])))
            try expectProblem(bed, differ, replace(batch("a", 1, [("a", 1), ("secret", 3)])))
            try expectProblem(bed, differ, replace(batch("a", 1, [("a", 1), ("secret", nil)])))
            try expectProblem(bed, differ, replace(batch("a", 1, [("secret", 2), ("a", 1)])))
            try expectProblem(bed, "emit", replace(batch("a", 1, [("a", 1), ("secret", 2), ("more", 2)])))
            try expectProblem(bed, "other revisions", replace(batch("b", 1, [("b", 1)])))
            try expectProblem(bed, "deleted documents", replace(batch("c", 4, [("c", 1)])))
            try expectProblem(bed, "do not exist", replace(batch("purged", 5, [("c", 1)])))
            try expectProblem(bed, "do not exist", replace(batch("none", 5, [("c", 1)])))
            try expectProblem(bed, "is missing") { (transaction, index) throws(StorageError) in
                try transaction.dropIndex(index)
            }
            try expectProblem(bed, "not used yet") { (transaction, index) throws(StorageError) in
                guard var state = try transaction.indexState(index) else { return }
                state.lastSequence = 1000
                try transaction.setIndexState(index, state)
            }
            try expectProblem(bed, "where their keys belong") { (transaction, index) throws(StorageError) in
                var batch = IndexBatch()
                let (id, key, json, value) = (Array("b".utf8), [0x30 as UInt8], Array(#""b""#.utf8), Array("1".utf8))
                unsafe batch.begin(id.span.bytes, sequence: 2)
                unsafe batch.add(key: key.span.bytes, keyJSON: json.span.bytes, valueJSON: value.span.bytes)
                var changes = RowChanges(recordsPositions: false)
                try transaction.replaceIndexRows(index, by: [batch], areNew: false, changes: &changes)
            }
        }
    }

    @Test(arguments: Storage.all) func anIndexThatBelongsToNoView(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.change { (session) throws(StorageError) in
                session.noteChange()
                try session.transaction.setIndexState("v/1", IndexState(version: "1", collationVersion: "1"))
            }
            #expect(try bed.database.check().map(\.description) == ["index: the index 'v/1' belongs to no view"])
            try bed.database.change { (session) throws(StorageError) in
                session.noteChange()
                try session.transaction.dropIndex("v/1")
            }
        }
    }

    /// What has changed since the index was last updated is not damage.
    @Test(arguments: Storage.all) func whatIsBehindIsNoDamage(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<10 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"]) }
            try bed.view().updateIndex()
            for change: () throws -> Void in [
                { try bed.database["0"].delete() }, { try bed.database["1"].purge() },
                { try bed.database["2"].update { $0["n"] = 20 } }, { try bed.database["new"].put(["n": 3]) },
                {
                    try bed.database["3"].purge()
                    try bed.database["3"].put(["n": 30])
                }, { try bed.database.compact() },
                { try bed.view().setMap(version: "2") { document, emit in emit(document["n"], 2) } },
                { try bed.view("other").setMap(version: "1") { _, emit in emit(1) } },
                { try bed.reopen() },
            ] {
                try change()
                #expect(try bed.database.check().map(\.description) == [])
            }
        }
    }
}

extension EmittedRows {
    mutating func begin(_ id: DocumentID, _ sequence: UInt64) throws {
        let bytes = Array(id.string.utf8)
        unsafe begin(bytes.span.bytes, sequence: sequence)
    }
}
