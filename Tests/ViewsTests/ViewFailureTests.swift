import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// What map functions and stores do wrong.
@Suite struct ViewFailureTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    @Test(arguments: Storage.every) func aDocumentForWhichItThrowsHasNoRows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.view().setMap(version: "1") { document, emit in
                emit(.string(document.id.string), 1)
                if document["bad"] == true { throw ApplicationError() }
                emit(.string(document.id.string), 2)
            }
            func expect(_ ids: [String], failed: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
                let sources = try bed.view().query().sources()
                #expect(sources == ids.flatMap { [$0, $0] }, sourceLocation: sourceLocation)
                let status = try bed.view().status()
                #expect(status?.failedDocuments == failed, sourceLocation: sourceLocation)
                #expect(status?.refusedRows == 0, sourceLocation: sourceLocation)
                #expect(status?.isStale == false, sourceLocation: sourceLocation)
            }
            // Many, so that they are mapped on several threads.
            try bed.database.put((0..<1000).map { (id: "\($0)", body: ["bad": JSONValue($0 % 10 == 3)]) })
            var good = (0..<1000).filter { $0 % 10 != 3 }.map { "\($0)" }.sorted()
            try expect(good, failed: 100)
            // One that was good leaves the index, one that was bad enters it.
            try bed.database["0"].update { $0["bad"] = true }
            try bed.database["3"].update { $0["bad"] = false }
            good = (good.filter { $0 != "0" } + ["3"]).sorted()
            try expect(good, failed: 101)
            try bed.database["0"].delete()
            try expect(good, failed: 101)
        }
    }

    @Test(arguments: Storage.every) func whatCannotBeStoredIsLeftOut(_ type: StorageType) throws {
        @Sendable func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }
        @Sendable func text(_ length: Int) -> JSONValue { .string(String(repeating: "x", count: length)) }
        try withDatabase(type) { (bed) throws in
            for id in ["a", "b"] { try bed.database[id].put([:]) }
            try bed.view().setMap(version: "1", collation: .raw) { document, emit in
                emit(1, .string(document.id.string))
                emit(.double(.nan), 1)
                emit(.double(.infinity), 1)
                emit([1, .double(.nan)], 1)
                emit(2, .double(.nan))
                emit(2, ["x": [.double(-.infinity)]])
                emit(nested(513), 1)
                emit(2, nested(513))
                emit(text((1 << 20) + 1), 1)
                emit(2, .string(document.id.string))
                emit(nested(512), nested(512))
                emit(text((1 << 20) - 100), text(2 << 20))
            }
            let rows = try bed.view().query().run()
            #expect(rows.map(\.documentID?.string) == ["a", "b", "a", "b", "a", "b", "a", "b"])
            #expect(rows.prefix(4).map(\.key) == [1, 1, 2, 2])
            #expect(rows.prefix(4).map(\.value) == ["a", "b", "a", "b"])
            #expect(rows[4].key == nested(512) && rows[4].value == nested(512))
            #expect(rows[7].key == text((1 << 20) - 100) && rows[7].value == text(2 << 20))
            let status = try bed.view().status()
            #expect(status?.refusedRows == 16)
            #expect(status?.failedDocuments == 0)
            #expect(status?.rowCount == 8)
        }
    }

    /// Calling the database from a map function in any way is an error that the function can catch, and never a
    /// deadlock.
    @Test(arguments: Storage.every) func theDatabaseCannotBeCalledFromInside(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (database, view) = (bed.database, bed.view())
            let other = try TestDatabase(.memory)
            try other.database["o"].put(["n": 7])
            let elsewhere = other.database
            let query = view.query()
            let calls: [@Sendable () throws -> Void] = [
                { _ = try database["a"].revision() }, { try database["a"].put([:]) },
                { try database["a"].update { _ in } },
                { try database["a"].purge() }, { _ = try database.lastSequence }, { try database.inTransaction {} },
                { try database.read { _ in } }, { _ = try query.run() }, { _ = try query.first() },
                { try query.forEach { _ in } }, { _ = try database.allDocumentsQuery().first() },
                { try view.updateIndex() },
                { try database.updateIndexes(of: ["view", "other"]) }, { _ = try view.status() },
                { try view.deleteIndex() },
                { try view.delete() }, { try view.setMap(version: "2") { _, _ in } }, { _ = try database.viewNames() },
                { try database.close() }, { try database.compact() },
            ]
            let wrong = Locked<[Int]>([])
            let counter = MapCounter()
            func setMap() throws {
                try view.setMap(version: "1") { document, emit in
                    counter.note(document)
                    for (number, call) in calls.enumerated() {
                        do {
                            try call()
                            wrong.withLock { $0.append(number) }
                        } catch let error as StorageError where error.code == .callback {
                            #expect(error.status == 593)
                        } catch {
                            wrong.withLock { $0.append(-number) }
                        }
                    }
                    emit(.string(document.id.string), try elsewhere["o"]["n"])
                    if document.id == "bad" { _ = try database["a"].revision() }
                }
            }
            for id in ["a", "b", "bad"] { try database[id].put([:]) }
            try setMap()
            try database.read { (_) throws in #expect(try query.lines() == [#""a" 7 a"#, #""b" 7 b"#]) }
            #expect(counter.take() == ["a", "b", "bad"])
            #expect(try query.lines() == [#""a" 7 a"#, #""b" 7 b"#])
            try database.inTransaction {
                try database["c"].put([:])
                #expect(try query.sources() == ["a", "b", "c"])
            }
            #expect(try view.status()?.failedDocuments == 2, "Once in memory, once in the index.")
            #expect(wrong.withLock { $0 } == [])
            #expect(counter.take() == ["a", "b", "bad", "c"])
        }
    }

    @Test(arguments: Storage.every) func aDamagedRecord(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            func setMap(_ name: String) throws {
                try bed.view(name).setMap(version: "1") { document, emit in emit(.string(document.id.string)) }
            }
            func damage(_ text: String?, _ key: String) throws {
                try bed.database.change { (session) throws(StorageError) in
                    session.noteChange()
                    try session.transaction.setInfo(text.map { Array($0.utf8) }, for: key)
                }
            }
            try bed.database["a"].put(["n": 1])
            try setMap("other")
            #expect(try bed.view("other").query().sources() == ["a"])
            for text in ["", "{", "{}", #"{"version":1,"indexes":[]}"#, #"{"version":"x","indexes":[{}]}"#, "\u{0}"] {
                try setMap("view")
                #expect(try bed.view().query().sources() == ["a"])
                try damage(text, "index/view")
                expectError(.corrupt, "\(text)") { try bed.view().query().run() }
                expectError(.corrupt, "\(text)") { try bed.view().status() }
                expectError(.corrupt, "\(text)") { try bed.view().updateIndex() }
                #expect(try bed.database.check().isEmpty == false, "\(text)")
                #expect(try bed.view("other").query().sources() == ["a"])
                // As the error says.
                try bed.view().delete()
                #expect(try bed.view().status() == nil)
                #expect(try bed.database.check().map(\.description) == [])
            }
            #expect(try bed.view("other").query(update: .never).sources() == ["a"])
            // A definition.
            let definition = ViewDefinition(keys: [try JSONPointer("/n")])
            for text in ["", "{", "{}", #"{"keys":[1],"collation":"raw"}"#, #"{"keys":["n"],"collation":"raw"}"#] {
                try bed.view().define(definition)
                #expect(try bed.view().query().keyList() == [1])
                try damage(text, "view/view")
                expectError(.corrupt, "\(text)") { try bed.view().query().run() }
                expectError(.corrupt, "\(text)") { try bed.view().definition() }
                try bed.view().define(definition)
                #expect(try bed.view().query().keyList() == [1])
            }
            // An index that is gone.
            try bed.database.change { (session) throws(StorageError) in
                session.noteChange()
                for name in try session.transaction.indexNames() { try session.transaction.dropIndex(name) }
            }
            for name in ["view", "other"] {
                expectError(.corrupt) { try bed.view(name).query().run() }
                #expect(try bed.database.check().isEmpty == false)
                try bed.view(name).deleteIndex()
                #expect(try bed.view(name).query().run().count == 1)
            }
        }
    }

    /// Whatever call to the store fails, in a first build or in an update, another update succeeds.
    @Test(arguments: Storage.every) func afterAnyFailureTheNextUpdateSucceeds(_ type: StorageType) throws {
        for code in [StorageError.Code.storage, .full] {
            for isBuilt in [false, true] {
                var call = 0
                var isThrough = false
                while !isThrough {
                    call += ViewFailureTests.isLong ? 1 : 5
                    isThrough = try failOnce(type, isBuilt: isBuilt, call: call, with: code)
                    try #require(call < 500, "The update never ran through.")
                }
                #expect(call > 5)
            }
        }
    }

    /// False if a call failed.
    private func failOnce(_ type: StorageType, isBuilt: Bool, call: Int, with code: StorageError.Code) throws -> Bool {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        try bed.view().setMap(version: "1") { document, emit in
            emit(document["n"])
            emit(document["n"], 2)
        }
        for id in ["a", "b", "c"] { try bed.database[id].put(["n": .string(id)]) }
        if isBuilt {
            try bed.view().updateIndex()
            try bed.database["a"].update { $0["n"] = "A" }
            try bed.database["b"].purge()
            try bed.database["d"].put(["n": "d"])
        }
        faults.arm(failingCall: call, with: StorageError(code, "Injected."))
        var failure: StorageError.Code?
        do throws(StorageError) { try bed.view().updateIndex() } catch { failure = error.code }
        let failedCall = faults.failedCall
        faults.disarm()
        #expect((failure == nil) == (failedCall == nil), "call \(call)")
        if let failure { #expect(failure == code, "call \(call), \(failedCall ?? "")") }
        #expect(try bed.database.check().map(\.description) == [], "call \(call), \(failedCall ?? "")")
        let expected = isBuilt ? ["a", "a", "c", "c", "d", "d"] : ["a", "a", "b", "b", "c", "c"]
        #expect(try bed.view().query().sources() == expected, "call \(call), \(failedCall ?? "")")
        #expect(try bed.database.check().map(\.description) == [], "call \(call), \(failedCall ?? "")")
        // Work in the background, such as giving back a dropped index, may still read.
        try expectEventually(within: .seconds(60), "call \(call), \(failedCall ?? "")") {
            try bed.engine().statistics().openTransactions == 0
        }
        try bed.manager.close()
        return failedCall == nil
    }
}
