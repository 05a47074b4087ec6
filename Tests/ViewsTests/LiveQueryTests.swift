import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import StorageProtocol
import Testing

/// Queries whose results are kept up to date.
@Suite struct LiveQueryTests {
    private func withNames(_ type: StorageType, _ body: (TestDatabase, DatabaseView) throws -> Void) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["name": "Ann", "age": 20])
            let view = bed.database.view("names")
            try view.setMap(version: "1") { document, emit in emit(document["name"], document["age"]) }
            try body(bed, view)
        }
    }

    @Test(arguments: Storage.all) func theResultComesAtOnceAndWhenItHasChanged(_ type: StorageType) throws {
        try withNames(type) { bed, view in
            let told = Results()
            let listener = view.query().live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.keys == [["Ann"]] }
            try bed.database["b"].put(["name": "Bob"])
            try expectEventually { told.keys.last == ["Ann", "Bob"] }
            try bed.database["a"].delete()
            try expectEventually { told.keys.last == ["Bob"] }
            #expect(listener.rows?.map(\.key) == ["Bob"])
            listener.remove()
            try bed.database["c"].put(["name": "Cyd"])
            #expect(try view.query().run().count == 2)
            #expect(told.keys.last == ["Bob"], "Nothing is told any more.")
        }
    }

    /// Couchbase Lite's live queries fired whenever anything in the database had changed.
    @Test(arguments: Storage.all) func whatDoesNotChangeTheResultIsNotTold(_ type: StorageType) throws {
        try withNames(type) { bed, view in
            let told = Results()
            let listener = view.query(limit: 1).live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.count == 1 }
            try bed.database["z"].put(["name": "Zoe"])
            try bed.database["n"].put(["other": true])
            try bed.database["a"].update { $0["note"] = "no row changes" }
            // The last one does change it, and comes after all others.
            try bed.database["0"].put(["name": "Abe"])
            try expectEventually { told.keys.last == ["Abe"] }
            #expect(told.keys == [["Ann"], ["Abe"]])
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func rowsThatShowNoContentChangeWithTheirDocuments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["name": "Ann"])
            let view = bed.database.view("names")
            try view.setMap(version: "1") { document, emit in emit(document["name"]) }
            let told = Results()
            let listener = view.query().live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.count == 1 }
            try bed.database["a"].update { $0["age"] = 3 }
            try expectEventually { told.count == 2 }
            #expect(told.keys == [["Ann"], ["Ann"]])
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func documentsThatComeWithRowsCount(_ type: StorageType) throws {
        try withNames(type) { bed, view in
            let told = Results()
            let listener = view.query(includeDocs: true).live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.count == 1 }
            try bed.database["a"].update { $0["note"] = "new" }
            try expectEventually { told.count == 2 }
            #expect(told.last?.first?.documentRevision?["note"] == "new")
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func aStormOfWritesGivesFewResults(_ type: StorageType) throws {
        try withNames(type) { bed, view in
            let told = Results()
            let start = ContinuousClock.now
            let interval = Duration.milliseconds(100)
            let listener = view.query().live(interval: interval).addListener { told.add($0) }
            for number in 0..<300 { try bed.database["d\(number)"].put(["name": .string("N\(number)")]) }
            try expectEventually { told.last?.count == 301 }
            let most = Int(start.duration(to: .now) / interval) + 2
            #expect(told.count <= most, "\(told.count) results where \(most) were due")
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func aSequenceGivesResults(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].put(["name": "Ann"])
        let view = bed.database.view("names")
        try view.setMap(version: "1") { document, emit in emit(document["name"], nil) }
        var results = view.query().live(interval: .zero).makeAsyncIterator()
        #expect(try await results.next()?.map(\.key) == ["Ann"])
        try bed.database["b"].put(["name": "Bob"])
        #expect(try await results.next()?.map(\.key) == ["Ann", "Bob"])
        try bed.database.close()
        #expect(try await results.next() == nil, "It ends with the database.")
    }

    @Test(arguments: Storage.all) func whatTheQueryThrowsEndsTheSequence(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        var results = bed.database.view("none").query().live().makeAsyncIterator()
        do {
            _ = try await results.next()
            Issue.record("Nothing was thrown.")
        } catch let error as StorageError {
            #expect(error.code == .notFound)
        }
        #expect(try await results.next() == nil)
    }

    @Test(arguments: Storage.all) func waitingForRows(_ type: StorageType) throws {
        try withNames(type) { bed, view in
            let listener = view.query().live().addListener { _ in }
            let keys = try listener.waitForRows()?.map(\.key)
            #expect(keys == ["Ann"])
            let failing = bed.database.view("none").query().live().addListener { _ in }
            #expect(throws: StorageError.self) { _ = try failing.waitForRows() }
        }
    }

    @Test(arguments: Storage.all) func allDocumentsCanBeLive(_ type: StorageType) throws {
        try withNames(type) { bed, _ in
            let told = Results()
            let listener = bed.database.allDocumentsQuery().live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.keys.last == ["a"] }
            try bed.database["b"].put([:])
            try expectEventually { told.keys.last == ["a", "b"] }
            listener.remove()
        }
    }

    @Test(arguments: Storage.plainShared) func commitsOfOtherProcessesCount(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        let database = try Database.open(at: path, options: .init(storageType: type), engines: [Storage.factory(type)])
        let view = database.view("names")
        try view.setMap(version: "1") { document, emit in emit(document["name"], nil) }
        let told = Results()
        let listener = view.query().live(interval: .zero).addListener { told.add($0) }
        try expectEventually { told.count == 1 }
        #expect(try Program.run("put", path.path, "x", #"{"name":"Xen"}"#).status == 0)
        try expectEventually { told.keys.last == ["Xen"] }
        listener.remove()
        try database.close()
    }

    /// A slow listener is given the last result, without the ones before.
    @Test func aSlowListenerMissesNoLastResult() throws {
        try withNames(.memory) { bed, view in
            let told = Results()
            let gate = Gate()
            let listener = view.query().live(interval: .zero).addListener { result in
                told.add(result)
                gate.wait()
            }
            try expectEventually { told.count == 1 }
            for number in 0..<50 {
                try bed.database["d\(number)"].put(["name": "B"])
                if number % 10 == 9 { try expectEventually { listener.rows?.count == number + 2 } }
            }
            gate.open()
            try expectEventually { told.last?.count == 51 }
            #expect(told.count <= 3)
            listener.remove()
        }
    }
}

/// The results that a listener was told.
private final class Results: Sendable {
    private let told = Locked<[QueryResult]>([])

    func add(_ result: Result<QueryResult, any Error>) {
        if let result = try? result.get() { told.withLock { $0.append(result) } }
    }

    var count: Int { told.withLock(\.count) }
    var last: QueryResult? { told.withLock(\.last) }
    var keys: [[JSONValue]] { told.withLock { told in told.map { $0.map(\.key) } } }
}
