import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Which version of a view is current, and what serves queries while another one is built.
@Suite struct ViewVersionTests {
    @discardableResult
    private func setMap(_ database: Database, _ version: String, _ counter: MapCounter? = nil) throws -> Bool {
        try database.view("view").setMap(version: version) { document, emit in
            counter?.note(document)
            emit(.string(version))
        }
    }

    private func indexNames(_ bed: TestDatabase) throws -> [String] {
        try bed.engine().read { (transaction) throws(StorageError) in try transaction.indexNames() }
    }

    @Test(arguments: Storage.all) func anotherVersionBuildsAnew(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try bed.database["a"].put([:])
            #expect(try setMap(bed.database, "1", counter))
            #expect(try !setMap(bed.database, "1", counter))
            #expect(try bed.view().status()?.version == "1")
            #expect(try bed.view().query().lines() == [#""1" - a"#])
            #expect(counter.take() == ["a"])
            try bed.reopen()
            #expect(try !setMap(bed.database, "1", counter))
            #expect(try bed.view().query().lines() == [#""1" - a"#])
            #expect(counter.take() == [], "What was built is there yet.")
            // The same function under another version, and back again: it is rebuilt each time.
            for version in ["2", "1", "1 ", ""] {
                #expect(try setMap(bed.database, version, counter))
                #expect(try bed.view().query().keyList() == [.string(version)])
                #expect(counter.take() == ["a"])
                #expect(try bed.view().status()?.version == version)
            }
            // The order of keys is part of it.
            try bed.view().setMap(version: "", collation: .raw) { _, emit in emit("raw") }
            #expect(try bed.view().query().keyList() == ["raw"])
            #expect(try bed.view().status()?.collation == .raw)
        }
    }

    @Test(arguments: Storage.all) func theOldVersionServesUntilTheNewOneIsComplete(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try setMap(bed.database, "1")
            #expect(try bed.view().query(update: .never).lines() == [], "Nothing was ever built.")
            try bed.view().updateIndex()
            try bed.database["b"].put([:])
            try setMap(bed.database, "2")
            #expect(try bed.view().query(update: .never).lines() == [#""1" - a"#])
            var status = try #require(try bed.view().status())
            #expect(status.version == "2")
            #expect(status.isStale)
            #expect(status.rowCount == 1)
            // One that was set and never built leaves nothing behind.
            try setMap(bed.database, "3")
            #expect(try bed.view().query(update: .never).lines() == [#""1" - a"#])
            try bed.reopen()
            #expect(try bed.view().query(update: .never).lines() == [#""1" - a"#], "Without a map function, too.")
            try setMap(bed.database, "3")
            #expect(try bed.view().query(update: .after).run().map(\.line) == [#""1" - a"#])
            try expectEventually { try bed.view().status()?.isStale == false }
            #expect(try bed.view().query(update: .never).lines() == [#""3" - a"#, #""3" - b"#])
            status = try #require(try bed.view().status())
            #expect(status.rowCount == 2)
            #expect(try indexNames(bed).count == 1)
        }
    }

    /// A new version is built in the middle of a long read of the old one's rows.
    @Test(arguments: Storage.all) func theNewVersionIsBuiltInSteps(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 5000
            try bed.database.put((0..<count).map { (id: "\($0)", body: [:]) })
            try setMap(bed.database, "1")
            try bed.view().updateIndex()
            let database = bed.database
            let seen = MapCounter()
            try bed.view().setMap(version: "2") { document, emit in
                // By now the first chunk has been written.
                if document.sequence == UInt64(count), seen.count == 0 {
                    let rows = try otherThread { try database.view("view").query(limit: 3, update: .never).run() }
                    #expect(rows.map(\.key) == ["1", "1", "1"])
                    seen.note(document)
                }
                emit("2")
            }
            #expect(try bed.view().query().run().allSatisfy { $0.key == "2" })
            #expect(seen.count == 1)
            #expect(try bed.view().query(update: .never).run().count == count)
        }
    }

    @Test(arguments: Storage.all) func anotherProgramMayClaimTheView(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try setMap(bed.database, "1")
            try bed.view().updateIndex()
            try claim("2", bed.database)
            for mode in [UpdateMode.before, .never, .after] {
                expectError(.superseded) { try bed.view().query(update: mode).run() }
                expectError(.superseded) { try bed.view().query(update: mode).first() }
                expectError(.superseded) { try bed.view().query(update: mode).forEach { _ in } }
            }
            expectError(.superseded) { try bed.view().updateIndex() }
            expectError(.superseded) { try bed.database.read { (_) throws in try bed.view().query().run() } }
            #expect(try bed.view().status()?.version == "2")
            #expect(StorageError.Code.superseded.status == 412)
            // The last program that sets it gets the view.
            #expect(try setMap(bed.database, "1"))
            #expect(try bed.view().query().lines() == [#""1" - a"#])
            // The same version is not another one.
            try claim("1", bed.database)
            #expect(try bed.view().query().lines() == [#""1" - a"#])
        }
    }

    /// The view is claimed in the middle of an update: what the update still writes is discarded.
    @Test(arguments: Storage.all) func aClaimEndsAnUpdateOfTheOtherVersion(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<5000).map { (id: "\($0)", body: [:]) })
            let database = bed.database
            try bed.view().setMap(version: "1") { document, emit in
                if document.sequence == 100 { try otherThread { try claim("2", database) } }
                emit("1")
            }
            expectError(.superseded) { try bed.view().query().run() }
            #expect(try indexNames(bed) == [])
            try setMap(bed.database, "2")
            #expect(try bed.view().query().run().count == 5000)
        }
    }

    @Test(arguments: Storage.all) func closuresAndDefinitionsTakeEachOthersPlace(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            let definition = ViewDefinition(keys: [try JSONPointer("/n")])
            #expect(try setMap(bed.database, "1"))
            #expect(try bed.view().definition() == nil)
            try bed.view().updateIndex()
            #expect(try bed.view().define(definition))
            #expect(try bed.view().query(update: .never).lines() == [#""1" - a"#])
            #expect(try bed.view().query().lines() == ["1 - a"])
            #expect(try bed.view().definition() == definition)
            #expect(try bed.view().status()?.definition == definition)
            #expect(try !bed.view().define(definition))
            #expect(try setMap(bed.database, "1"))
            #expect(try bed.view().definition() == nil)
            #expect(try bed.view().query().lines() == [#""1" - a"#])
            // Another program defines the view: this one's function is superseded, and becomes current again when it is
            // set.
            try claim("", bed.database, definition: definition)
            expectError(.superseded) { try bed.view().query().run() }
            #expect(try !bed.view().define(definition), "It is that already.")
            #expect(try bed.view().query().lines() == ["1 - a"])
            // Another program stores another definition: programs that use definitions follow it.
            let other = ViewDefinition(keys: [try JSONPointer("/_id")])
            try claim("", bed.database, definition: other)
            #expect(try bed.view().query().lines() == [#""a" - a"#])
            #expect(try bed.view().definition() == other)
            // Another program sets a closure: this one has no map function.
            try claim("9", bed.database)
            expectError(.notFound) { try bed.view().query().run() }
            #expect(try bed.view().query(update: .never).lines() == [#""a" - a"#])
        }
    }

    /// What a transaction sets is rolled back with it.
    @Test(arguments: Storage.all) func settingAMapFollowsTheTransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try setMap(bed.database, "1")
            expectApplicationError {
                try bed.database.inTransaction {
                    #expect(try setMap(bed.database, "2"))
                    #expect(try bed.view().query().lines() == [#""2" - a"#])
                    throw ApplicationError()
                }
            }
            #expect(try bed.view().status()?.version == "1")
            #expect(try bed.view().query().lines() == [#""1" - a"#])
            try bed.database.inTransaction {
                try setMap(bed.database, "2")
                #expect(try bed.view().query().lines() == [#""2" - a"#])
            }
            #expect(try bed.view().query().lines() == [#""2" - a"#])
            expectApplicationError {
                try bed.database.inTransaction {
                    try bed.view().delete()
                    #expect(try bed.view().status() == nil)
                    throw ApplicationError()
                }
            }
            #expect(try bed.view().query().lines() == [#""2" - a"#])
            #expect(try bed.view().status()?.version == "2")
        }
    }

    /// A first version was set in a transaction that was rolled back: nothing of the view is left.
    @Test(arguments: Storage.all) func aFirstVersionThatWasRolledBackIsGone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectApplicationError {
                try bed.database.inTransaction {
                    try setMap(bed.database, "1")
                    try bed.view().updateIndex()
                    throw ApplicationError()
                }
            }
            #expect(try bed.view().status() == nil)
            #expect(try bed.database.viewNames() == [])
            expectError(.notFound) { try bed.view().query().run() }
        }
    }

    @Test(arguments: Storage.all) func insideReadNothingIsSet(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try setMap(bed.database, "1")
            try bed.database.read { (_) throws in
                expectError(.callback) { try setMap(bed.database, "2") }
                expectError(.callback) { try bed.view().define(ViewDefinition(keys: [JSONPointer("/n")])) }
                expectError(.callback) { try bed.view().updateIndex() }
                expectError(.callback) { try bed.view().deleteIndex() }
                expectError(.callback) { try bed.view().delete() }
                #expect(try bed.view().query().lines() == [#""1" - a"#])
            }
            #expect(try bed.view().query().lines() == [#""1" - a"#])
        }
    }

    @Test(arguments: Storage.all) func nothingWorksOnAClosedDatabase(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed.database, "1")
            let query = bed.view().query()
            try bed.database.close()
            expectError(.notOpen) { try query.run() }
            expectError(.notOpen) { try query.forEach { _ in } }
            expectError(.notOpen) { try setMap(bed.database, "2") }
            expectError(.notOpen) { try bed.view().define(ViewDefinition(keys: [JSONPointer("/n")])) }
            expectError(.notOpen) { try bed.view().status() }
            expectError(.notOpen) { try bed.view().updateIndex() }
            expectError(.notOpen) { try bed.view().deleteIndex() }
            expectError(.notOpen) { try bed.view().delete() }
            expectError(.notOpen) { try bed.database.viewNames() }
            expectError(.notOpen) { try bed.database.updateIndexes(of: ["view"]) }
        }
    }
}
