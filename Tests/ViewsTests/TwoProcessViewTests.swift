import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import Testing

/// Views of one database in this process and in others, which run the built `settee`.
@Suite struct TwoProcessViewTests {
    private func withSharedDatabase(_ type: StorageType, _ body: (Database, String) throws -> Void) throws {
        try withDatabase(type) { (bed) throws in try body(bed.database, try #require(bed.database.path)) }
    }

    @discardableResult
    private func settee(
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Program.Outcome {
        let outcome = try Child(arguments, input: []).wait()
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)", sourceLocation: sourceLocation)
        return outcome
    }

    /// The IDs of the rows that the other process finds.
    private func ids(_ path: String) throws -> [String] {
        try settee("view", "query", path, "view", "--json").lines.map {
            try JSONValue(parsing: $0)["id"]?.stringValue ?? "-"
        }
    }

    @Test(arguments: Storage.plainShared) func oneIndexServesBoth(_ type: StorageType) throws {
        try withSharedDatabase(type) { (database, path) throws in
            let view = database.view("view")
            try database["a"].put(["n": 2])
            #expect(try view.status() == nil)
            try settee("view", "define", path, "view", "--key", "/n")
            #expect(try view.definition() == ViewDefinition(keys: [JSONPointer("/n")]))
            #expect(try view.query(update: .never).sources() == [])
            #expect(try ids(path) == ["a"])
            #expect(try view.query(update: .never).sources() == ["a"], "The other process has built it.")
            // Each indexes what the other one has written.
            try settee("put", path, "b", #"{"n":1}"#)
            #expect(try view.query().sources() == ["b", "a"])
            try database["a"].delete()
            try database["c"].put(["n": 3])
            #expect(try ids(path) == ["b", "c"])
            #expect(try view.query(update: .never).sources() == ["b", "c"])
            #expect(try view.status()?.isStale == false)
            try settee("purge", path, "b")
            #expect(try view.status()?.isStale == true)
            #expect(try view.query().sources() == ["c"])
            try settee("view", "rm", path, "view")
            expectError(.notFound) { try view.query().run() }
        }
    }

    @Test(arguments: Storage.plainShared) func whoSetsAViewLastHasIt(_ type: StorageType) throws {
        try withSharedDatabase(type) { (database, path) throws in
            let view = database.view("view")
            func setMap() throws -> Bool {
                try view.setMap(version: "1") { document, emit in emit(.string("mine " + document.id.string)) }
            }
            try database["a"].put(["n": 2])
            #expect(try setMap())
            #expect(try view.query().keyList() == ["mine a"])
            try settee("view", "define", path, "view", "--key", "/n")
            for mode in [UpdateMode.before, .never, .after] {
                expectError(.superseded) { try view.query(update: mode).run() }
            }
            #expect(try ids(path) == ["a"])
            #expect(try setMap())
            #expect(try view.query().keyList() == ["mine a"])
            // The other process now has no map function, and shows what was built.
            try database["b"].put(["n": 2])
            #expect(try ids(path) == ["a"])
            #expect(try view.query().sources() == ["a", "b"])
            // Without a map function it follows whatever definition is stored.
            #expect(try view.define(ViewDefinition(keys: [JSONPointer("/_id")])))
            try settee("view", "define", path, "view", "--key", "/n")
            #expect(try view.query().keyList() == [2, 2])
        }
    }

    /// A stream continues in the index that it began with, or ends: it never mixes two.
    @Test(arguments: Storage.plainShared) func rebuiltByAnotherProcess(_ type: StorageType) throws {
        try withSharedDatabase(type) { (database, path) throws in
            try database.put((0..<600).map { (id: "\($0)", body: ["n": JSONValue($0), "m": JSONValue(-$0)]) })
            let view = database.view("view")
            try view.define(ViewDefinition(keys: [JSONPointer("/n")]))
            var handed = 0
            expectError(.conflict) {
                try view.query().forEach { _ in
                    handed += 1
                    guard handed == 1 else { return }
                    try settee("view", "define", path, "view", "--key", "/m")
                    try settee("view", "update", path, "view")
                }
            }
            #expect(handed == 256)
            #expect(try view.query(limit: 2).keyList() == [-599, -598])
        }
    }

    /// Both update the same index at once: nothing is lost or duplicated.
    @Test(arguments: Storage.plainShared) func bothUpdateAtOnce(_ type: StorageType) throws {
        try withSharedDatabase(type) { (database, path) throws in
            let view = database.view("view")
            try view.define(ViewDefinition(keys: [JSONPointer("/n")]))
            for round in 0..<3 {
                let count = 5000 * (round + 1)
                try database.put((count - 5000..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
                let children = try (0..<2).map { _ in try Child(["view", "update", path], input: []) }
                #expect(try view.query().run().count == count)
                for child in children {
                    let outcome = try child.wait()
                    #expect(outcome.status == 0, "\(outcome.errors)")
                }
                #expect(try view.query(update: .never).keyList() == (0..<count).map { JSONValue($0) })
            }
        }
    }
}
