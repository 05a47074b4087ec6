import Foundation
import Settee
import SetteeProgramSupport
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// Queries whose rows are kept up to date.
@Suite struct LiveFindTests {
    private func live(_ query: FindQuery, _ told: ToldRows) -> LiveFindListener {
        query.live(interval: .zero).addListener { told.add($0) }
    }

    private func put(_ database: Database, _ totals: KeyValuePairs<String, Int>) throws {
        for (id, total) in totals { try database[DocumentID(id)].update { $0 = ["total": JSONValue(total)] } }
    }

    @Test(arguments: Storage.all) func theRowsComeAtOnceAndWhenTheyHaveChanged(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try put(bed.database, ["a": 10, "b": 1])
            let told = ToldRows()
            let listener = live(try bed.database.find(field("total") >= 5, sort: [.ascending("total")]), told)
            try expectEventually { told.ids == [["a"]] }
            try put(bed.database, ["c": 7])
            try expectEventually { told.ids.last == ["c", "a"] }
            try put(bed.database, ["b": 20])
            try expectEventually { told.ids.last == ["c", "a", "b"] }
            try put(bed.database, ["a": 2])
            try expectEventually { told.ids.last == ["c", "b"] }
            try bed.database["c"].delete()
            try expectEventually { told.ids.last == ["b"] }
            try bed.database["b"].update { $0["note"] = "new" }
            try expectEventually { told.last?.first?["note"] == "new" }
            #expect(told.ids == [["a"], ["c", "a"], ["c", "a", "b"], ["c", "b"], ["b"], ["b"]])
            #expect(listener.rows == told.last)
            listener.remove()
            listener.remove()
            try put(bed.database, ["d": 100])
            #expect(try bed.database.find(field("total") >= 5).count() == 2)
            #expect(told.ids.last == ["b"], "Nothing is told any more.")
        }
    }

    @Test(arguments: Storage.all) func whatATransactionRollsBackIsNotTold(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let told = ToldRows()
            let listener = live(try bed.database.find([:]), told)
            try expectEventually { told.ids == [[]] }
            for commits in [false, true] {
                try? bed.database.inTransaction {
                    try put(bed.database, ["\(commits)": 1])
                    if !commits { throw ApplicationError() }
                }
            }
            try expectEventually { told.ids == [[], ["true"]] }
            listener.remove()
        }
    }

    /// The changed documents decide, and the time that the query takes does not count.
    @Test(arguments: Storage.all) func aCommitThatDoesNotConcernTheQueryDoesNotRunIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try put(database, ["a": 10, "b": 1])
            let told = ToldRows()
            let listener = live(try database.find(["total": ["$gte": 5]]), told)
            try expectEventually { told.count == 1 }
            #expect(listener.statistics.runs == 1 && listener.statistics.documentsChecked == 0)
            func expectNoRun(checked: Int, _ change: () throws -> Void) throws {
                let before = listener.statistics
                try change()
                try expectEventually { listener.statistics.documentsChecked >= before.documentsChecked + checked }
                #expect(listener.statistics.documentsChecked == before.documentsChecked + checked)
                #expect(listener.statistics.runs == before.runs)
            }
            try expectNoRun(checked: 1) { try put(database, ["c": 2]) }
            try expectNoRun(checked: 1) { try put(database, ["b": 4]) }
            try expectNoRun(checked: 300) { try database.put((0..<300).map { (id: "n\($0)", body: ["total": 0]) }) }
            // What is deleted, purged, a design document, or local is not even looked at.
            try expectNoRun(checked: 1) {
                try database["b"].delete()
                try database["n7"].purge()
                try database["_design/d"].put(["total": 100])
                try database["_local/l"].put(["total": 100])
                try put(database, ["last": 0])
            }
            try put(database, ["c": 5])
            try expectEventually { told.ids.last == ["a", "c"] }
            #expect(listener.statistics.runs == 2)
            #expect(told.count == 2)
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func orderAndLimit(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try put(database, ["a": 10, "b": 30, "c": 20, "d": 5])
            let told = ToldRows()
            let query = try database.find(["total": ["$gt": 0]], sort: [.descending("total")], limit: 2)
            let listener = live(query, told)
            try expectEventually { told.ids == [["b", "c"]] }
            let before = listener.statistics
            // Behind the end: by the value, and among equals by the ID, which descends too.
            try put(database, ["a": 19, "bb": 20, "e": 1])
            try database["d"].delete()
            try expectEventually { listener.statistics.documentsChecked == before.documentsChecked + 3 }
            #expect(listener.statistics.runs == 1)
            try put(database, ["cc": 20])
            try expectEventually { told.ids.last == ["b", "cc"] }
            try put(database, ["a": 40])
            try expectEventually { told.ids.last == ["a", "b"] }
            try database["b"].delete()
            try expectEventually { told.ids.last == ["a", "cc"] }
            for id in ["a", "cc", "c", "bb"] { try database[DocumentID(id)].delete() }
            try expectEventually { told.ids.last == ["e"] }
            // There is room: whatever matches is a row.
            try put(database, ["f": 1, "g": -1])
            try expectEventually { told.ids.last == ["f", "e"] }
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func rowsThatAreLeftOutCountToo(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try put(database, ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5])
            let told = ToldRows()
            let listener = live(try database.find([:], sort: [.ascending("total")], limit: 2, skip: 1), told)
            try expectEventually { told.ids == [["b", "c"]] }
            try database["a"].delete()
            try expectEventually { told.ids.last == ["c", "d"] }
            try put(database, ["0": 0])
            try expectEventually { told.ids.last == ["b", "c"] }
            let unlimited = ToldRows()
            let other = live(try database.find([:], sort: [.descending("total")], skip: 4), unlimited)
            try expectEventually { unlimited.ids == [["0"]] }
            try database["e"].purge()
            try expectEventually { unlimited.ids.last == [] }
            listener.remove()
            other.remove()
        }
    }

    @Test(arguments: Storage.all) func withALimitAndNoOrderRowsStay(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try put(database, ["b": 1, "c": 1])
            let told = ToldRows()
            let listener = live(try database.find(["total": 1], limit: 2), told)
            try expectEventually { told.ids == [["b", "c"]] }
            try put(database, ["a": 1])
            try database["b"].delete()
            try expectEventually { told.ids.last == ["a", "c"] }
            #expect(listener.statistics.runs == 2 && listener.statistics.documentsChecked == 0)
            let none = ToldRows()
            let nothing = live(try database.find([:], limit: 0), none)
            try expectEventually { none.ids == [[]] }
            listener.remove()
            nothing.remove()
        }
    }

    @Test(arguments: Storage.all) func purgesExpiryAndConflicts(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for id in ["a", "b", "c", "d"] { try put(database, [id: 1]) }
            let told = ToldRows()
            let listener = live(try database.find(["total": 1], sort: [.ascending("_id")]), told)
            try expectEventually { told.ids == [["a", "b", "c", "d"]] }
            try database["a"].purge()
            try expectEventually { told.ids.last == ["b", "c", "d"] }
            try database["b"].expires(in: 0.05)
            try expectEventually { told.ids.last == ["c", "d"] }
            // A branch that wins, with another total, and then is deleted.
            let high = try RevisionID("1-" + String(repeating: "f", count: 32))
            try database["c"].forceInsert(["total": 2], history: [high])
            try expectEventually { told.ids.last == ["d"] }
            let end = try RevisionID("2-" + String(repeating: "0", count: 32))
            try database["c"].forceInsert([:], history: [end, high], isDeleted: true)
            try expectEventually { told.ids.last == ["c", "d"] }
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func manyChangesAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let told = ToldRows()
            let listener = live(try bed.database.find(["total": 7]), told)
            try expectEventually { told.count == 1 }
            try bed.database.put((0..<3000).map { (id: "n\($0)", body: ["total": JSONValue($0 % 1000)]) })
            try expectEventually { told.ids.last == ["n1007", "n2007", "n7"] }
            #expect(listener.statistics.runs == 2 && listener.statistics.documentsChecked == 0)
            listener.remove()
        }
    }

    @Test(arguments: Storage.plainShared) func commitsOfOtherProcessesCount(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        let database = try Database.open(at: path, options: .init(storageType: type), engines: [Storage.factory(type)])
        let told = ToldRows()
        let listener = live(try database.find(["total": 1]), told)
        try expectEventually { told.count == 1 }
        #expect(try Program.run("put", path.path, "x", #"{"total":1}"#).status == 0)
        try expectEventually { told.ids.last == ["x"] }
        #expect(try Program.run("put", path.path, "y", #"{"total":2}"#).status == 0)
        // Both documents were checked, the first one before the query ran again.
        try expectEventually { listener.statistics.documentsChecked == 2 }
        #expect(listener.statistics.runs == 2)
        #expect(try Program.run("rm", path.path, "x").status == 0)
        try expectEventually { told.ids.last == [] }
        listener.remove()
        try database.close()
    }

    /// A row has its revision, whatever members it shows.
    @Test func rowsWithSomeFieldsChangeWithTheirDocuments() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put(["total": 1, "note": "x"])
            let told = ToldRows()
            let listener = live(try bed.database.find(["total": 1], fields: ["total"]), told)
            try expectEventually { told.count == 1 }
            try bed.database["a"].update { $0["note"] = "y" }
            try expectEventually { told.count == 2 }
            #expect(try told.last?.first?.properties == ["total": 1])
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func aStormOfWritesGivesFewResults(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let told = ToldRows()
            let start = ContinuousClock.now
            let interval = Duration.milliseconds(100)
            let listener = try bed.database.find([:]).live(interval: interval).addListener { told.add($0) }
            for number in 0..<300 { try bed.database["d\(number)"].put([:]) }
            try expectEventually { told.last?.count == 300 }
            let most = Int(start.duration(to: .now) / interval) + 2
            #expect(told.count <= most, "\(told.count) results where \(most) were due")
            listener.remove()
        }
    }

    @Test func aSlowListenerMissesNoLastResult() throws {
        try withDatabase(.memory) { (bed) throws in
            let told = ToldRows()
            let gate = Gate()
            let listener = try bed.database.find([:]).live(interval: .zero).addListener { result in
                told.add(result)
                gate.wait()
            }
            try expectEventually { told.count == 1 }
            for number in 0..<50 {
                try bed.database["d\(number)"].put([:])
                if number % 10 == 9 { try expectEventually { listener.rows?.count == number + 1 } }
            }
            gate.open()
            try expectEventually { told.last?.count == 50 }
            #expect(told.count <= 3)
            listener.remove()
        }
    }
}

/// The rows that a listener was told.
final class ToldRows: Sendable {
    private let told = Locked<[Result<[FindRow], any Error>]>([])

    func add(_ result: Result<[FindRow], any Error>) { told.withLock { $0.append(result) } }

    private var rows: [[FindRow]] { told.withLock { told in told.compactMap { try? $0.get() } } }
    var count: Int { rows.count }
    var last: [FindRow]? { rows.last }
    var ids: [[String]] { rows.map { $0.map(\.documentID.string) } }
    /// The code of the last result, if that is an error.
    var failure: StorageError.Code? {
        guard case .failure(let error) = told.withLock({ $0.last }) else { return nil }
        return (error as? StorageError)?.code
    }
}
