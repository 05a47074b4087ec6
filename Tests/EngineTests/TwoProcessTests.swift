import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import Testing

/// One database in this process and in others, which are the built `settee`.
@Suite struct TwoProcessTests {
    @Test func eachSeesWhatTheOtherCommitted() throws {
        try withSharedDatabase { (database, _, path) throws in
            try run("put", path, "a", #"{"n":1}"#)
            #expect(try database["a"].revision()?.text == #"{"n":1}"#)
            #expect(try database.lastSequence == 1)
            try database.read { (snapshot) throws in
                #expect(try snapshot.documentCount == 1)
                try run("put", path, "b", "{}")
                #expect(try snapshot.documentCount == 1, "A snapshot stays as it was at its beginning.")
            }
            #expect(try database.documentCount == 2)

            try database["c"].put(["by": "this process"])
            #expect(try JSONValue(parsing: run("get", path, "c").text)["by"] == "this process")
            try expectCounts(database, path, documents: 3, lastSequence: 3)

            try run("rm", path, "a")
            #expect(try !database["a"].exists)
            try database["b"].delete()
            try expectCounts(database, path, documents: 1, lastSequence: 5)
        }
    }

    @Test func writesInTurnsLoseNothing() throws {
        try withSharedDatabase { (database, _, path) throws in
            let imported = (0..<4000).map { "import-\($0)" }
            let lines = imported.map { #"{"_id":"\#($0)"}"# }.joined(separator: "\n")
            let importer = try Child(["import", path, "-"], input: Array(lines.utf8))
            let single = try Child(["put", path, "single", "{}"], input: [])
            var acknowledged: Set<String> = []
            repeat {
                let id = "here-\(acknowledged.count)"
                try database[id].put([:])
                acknowledged.insert(id)
            } while importer.isRunning && acknowledged.count < 20_000
            for child in [importer, single] {
                let outcome = try child.wait()
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            acknowledged.formUnion(imported)
            acknowledged.insert("single")

            let rows = try database.changes(since: 0).rows()
            #expect(Set(rows.map(\.documentID.string)) == acknowledged)
            let count = UInt64(acknowledged.count)
            #expect(rows.map(\.sequence) == Array(1...count), "Each write has a sequence of its own.")
            try expectCounts(database, path, documents: count, lastSequence: count)
        }
    }

    @Test func compactionBesideAnotherProcessDropsBodiesAndSaysWhoPreventsTheRest() throws {
        try withSharedDatabase { (database, _, path) throws in
            for number in Int64(0)..<3 { try database["a"].update { $0["n"] = .int(number) } }
            let there = try JSONValue(parsing: run("compact", path, "--json").text)
            #expect(there["bodiesRemoved"] == 2)
            let reason = try #require(there["rewritePrevented"]?.stringValue)
            #expect(reason.contains("process \(ProcessInfo.processInfo.processIdentifier)"), "\(reason)")

            try database["a"].update { $0["n"] = 3 }
            let other = try openElsewhere(path)
            let here = try database.compact()
            #expect(here.bodiesRemoved == 1)
            let holder = try #require(here.rewritePrevented)
            #expect(holder.contains("process \(other.identifier)"), "\(holder)")
            // The other process continues with the files that it has open.
            #expect(try other.finish() == 0)
            try expectCounts(database, path, documents: 1002, lastSequence: 1005)

            let alone = try database.compact()
            #expect(alone.rewritePrevented == nil)
            #expect(alone.bodiesRemoved == 0)
            #expect(try run("get", path, "a").text.contains(#""n":3"#))
            try expectCounts(database, path, documents: 1002, lastSequence: 1005)
        }
    }

    @Test func aDatabaseThatAnotherProcessHasOpenIsNotDeleted() throws {
        try withSharedDatabase { (_, manager, path) throws in
            let other = try openElsewhere(path)
            do throws(StorageError) {
                try manager.deleteDatabase(named: "test")
                Issue.record("It was deleted.")
            } catch {
                #expect(error.code == .inUse)
                #expect(error.status == 423)
                #expect(error.message.contains("process \(other.identifier)"), "\(error.message)")
            }
            #expect(try other.finish() == 0)
            let database = try manager.database(named: "test")
            try expectCounts(database, path, documents: 1001, lastSequence: 1001)
            try manager.deleteDatabase(named: "test")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// A process that is stopped in the middle of a write keeps the lock indefinitely.
    @Test func whoWaitsTooLongForTheWriterIsToldWhoWrites() throws {
        try withSharedDatabase(busyTimeout: .milliseconds(100)) { (database, _, path) throws in
            // In ascending order: they are saved in many transactions.
            let lines = (100_000..<130_000).map { #"{"_id":"d\#($0)"}"# }.joined(separator: "\n")
            let child = try Child(["import", path, "-", "--durability", "normal"], input: Array(lines.utf8))
            var refusal: StorageError?
            var attempts = 0
            while refusal == nil, child.isRunning {
                // Each time a little later after a commit of its own.
                let last = try database.lastSequence
                while child.isRunning, try database.lastSequence == last {}
                for _ in 0..<(attempts * 10) { _ = try database.lastSequence }
                child.suspend()
                defer { child.resume() }
                do throws(StorageError) {
                    try database["attempt-\(attempts)"].put([:])
                    attempts += 1
                } catch {
                    refusal = error
                    // Readers do not wait for it.
                    #expect(try database.documentCount == UInt64(database.allDocuments().ids().count))
                }
            }
            let outcome = try child.wait()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let error = try #require(refusal, "The import was never stopped inside a write.")
            #expect(error.code == .inUse)
            #expect(error.status == 423)
            #expect(error.message.contains("process \(child.identifier)"), "\(error.message)")
            try database["after"].put([:])
            let count = 30_000 + UInt64(attempts) + 1
            try expectCounts(database, path, documents: count, lastSequence: count)
        }
    }

    /// Runs `settee` until it exits.
    @discardableResult
    private func run(
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Program.Outcome {
        let outcome = try Child(arguments, input: []).wait()
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)", sourceLocation: sourceLocation)
        return outcome
    }

    /// A `settee` that has the database open until `finish`; it has saved 1000 of the 1001 documents that it was given.
    private func openElsewhere(_ path: String) throws -> Conversation {
        let other = try Conversation(["import", path, "-", "--report-batches"])
        // More than a batch, so that it is saved; the rest waits for the end of the input.
        try other.send((0...1000).map { #"{"_id":"other-\#($0)"}"# + "\n" }.joined())
        #expect(other.nextLine() == #"{"committed":1000}"#)
        return other
    }

    /// What both processes report about the database.
    private func expectCounts(
        _ database: Database,
        _ path: String,
        documents: UInt64,
        lastSequence: UInt64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try database.documentCount == documents, sourceLocation: sourceLocation)
        #expect(try database.lastSequence == lastSequence, sourceLocation: sourceLocation)
        let info = try JSONValue(parsing: run("info", path, "--json", sourceLocation: sourceLocation).text)
        #expect(info["documentCount"]?.intValue == Int64(documents), sourceLocation: sourceLocation)
        #expect(info["lastSequence"]?.intValue == Int64(lastSequence), sourceLocation: sourceLocation)
    }

    /// Runs `body` with a new, empty database; afterwards, unless it was deleted, it must be healthy.
    private func withSharedDatabase(
        busyTimeout: Duration = .seconds(60),
        _ body: (Database, Manager, String) throws -> Void
    ) throws {
        let folder = try Folder()
        let manager = try Manager(directory: folder.url)
        let options = DatabaseOptions(storageType: .sqlite, durability: .normal, busyTimeout: busyTimeout)
        let database = try manager.database(named: "test", options: options)
        try body(database, manager, try #require(database.path))
        if let rest = try manager.existingDatabase(named: "test") {
            #expect(try rest.check().map(\.description) == [])
        }
        try manager.close()
    }
}
