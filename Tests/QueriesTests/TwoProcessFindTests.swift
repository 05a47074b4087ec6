import Foundation
import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// Two processes that define one index differently: the definition that was stored last counts, and both find what
/// there is at any time.
@Suite struct TwoProcessFindTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 12 : 400

    @Test(arguments: Storage.shared, DefinitionPlace.allCases)
    func whoDefinesAnIndexLastHasIt(_ type: StorageType, _ place: DefinitionPlace) async throws {
        let bed = try TestDatabase(type)
        let (database, path) = (bed.database, try bed.path)
        try SharedDatabase.fill(database, 1000)
        try place.define(["n"], in: database)
        try database.updateIndex(named: place.name)
        #expect(try database.find(["n": 5]).explain().indexes == [place.name])
        // What this process knows of its index does not count any more when the other one has defined it.
        await #expect(processExitsWith: .success) {
            [path = path as String, type = type.name as String, place = place.rawValue as String] in
            let place = try #require(DefinitionPlace(rawValue: place))
            let other = try SharedDatabase.open(path, StorageType(type))
            #expect(try other.find(["n": 5]).explain().indexes == [place.name])
            try place.define(["m"], in: other)
            #expect(try other.find(["m": 5]).explain().indexes == [place.name])
            #expect(try other.find(["n": 5]).explain().isFullScan)
            try other.comparePlainly(SharedDatabase.questions())
            try other["d7"].update { $0 = ["n": 5, "m": 5] }
            try other.close()
        }
        #expect(try database.find(["n": 5]).explain().isFullScan)
        #expect(try database.find(["m": 5]).explain().indexes == [place.name])
        try database.comparePlainly(SharedDatabase.questions())
        #expect(try database.check().map(\.description) == [])
        try place.define(["n"], in: database)
        #expect(try database.find(["n": 5]).explain().indexes == [place.name])
        try database.comparePlainly(SharedDatabase.questions())
        #expect(try database.check().map(\.description) == [])
        try bed.manager.close()
    }

    /// Each defines, builds and asks, again and again, while the other one does.
    @Test(arguments: Storage.shared, DefinitionPlace.allCases)
    func bothDefineItAgainAndAgain(_ type: StorageType, _ place: DefinitionPlace) async throws {
        let bed = try TestDatabase(type)
        let (database, path) = (bed.database, try bed.path)
        try SharedDatabase.fill(database, 1000)
        let isOver = Locked(false)
        let here = Background {
            var turn = 0
            while SharedDatabase.isAtWork(path, unless: { isOver.withLock { $0 } }) {
                turn += 1
                try TwoProcessFindTests.work(in: database, place, "n", turn)
            }
        }
        let rounds = TwoProcessFindTests.rounds
        await #expect(processExitsWith: .success) {
            [
                path = path as String, type = type.name as String, place = place.rawValue as String,
                rounds = rounds as Int
            ] in
            let place = try #require(DefinitionPlace(rawValue: place))
            let other = try SharedDatabase.open(path, StorageType(type))
            SharedDatabase.Progress.begun.tell(path)
            defer { SharedDatabase.Progress.ended.tell(path) }
            for turn in 0..<rounds {
                try TwoProcessFindTests.work(in: other, place, "m", turn)
                let number = turn % 1000
                try other["d\(number)"].update { $0 = SharedDatabase.body(number, turn: turn) }
            }
            try other.close()
        }
        isOver.withLock { $0 = true }
        try here.join()
        let ends = try database.indexes().map { $0.definition.fields.map(\.field) }
        #expect(ends == [["n"]] || ends == [["m"]])
        #expect(try database.check().map(\.description) == [])
        try database.updateIndex(named: place.name)
        #expect(try database.indexes().map(\.isStale) == [false])
        try database.comparePlainly(SharedDatabase.questions())
        #expect(try database.check().map(\.description) == [])
        try bed.manager.close()
    }

    private static func work(in database: Database, _ place: DefinitionPlace, _ field: String, _ turn: Int) throws {
        try place.define([field], in: database)
        // Both a query and a call build it.
        if turn % 2 == 0 { try database.updateIndex(named: place.name) }
        _ = try database.find([field: JSONValue(turn % 89)]).run()
        try database.comparePlainly(SharedDatabase.questions(turn % 80))
    }
}
