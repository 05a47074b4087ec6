import Foundation
import Settee
import SetteeProgramSupport
import SetteeQueries
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// Builds of indexes beside which the definition changes, or that find the disk full. What is half made is never read.
@Suite struct DisturbedBuildTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    // MARK: - Definitions that change

    /// This process, or another one, changes the definition between any two snapshots that a build reads.
    @Test(arguments: Storage.shared, DefinitionPlace.allCases)
    func aDefinitionThatChangesMeanwhile(_ type: StorageType, _ place: DefinitionPlace) throws {
        let moments = WatchedMoments()
        let bed = try TestDatabase(type, wrapping: WatchedFactory(Storage.factory(type), moments))
        let (database, path) = (bed.database, try bed.path)
        try SharedDatabase.fill(database, 600)
        var reached = 0
        while reached < 50 {
            try place.define(["n"], in: database)
            let isElsewhere = reached % 4 == 0
            let isReached = try moments.disturb(.snapshot, reached + 1) {
                try otherThread { _ = try database.comparePlainly(SharedDatabase.questions()) }
                if isElsewhere {
                    try place.defineElsewhere("m", path, type)
                } else {
                    try otherThread { try place.define(["m"], in: database) }
                }
                try otherThread { _ = try database.comparePlainly(SharedDatabase.questions()) }
            } during: {
                try database.updateIndex(named: place.name)
            }
            guard isReached else { break }
            reached += 1
            #expect(try database.indexes().map { $0.definition.fields } == [[.ascending("m")]])
            try database.comparePlainly(SharedDatabase.questions())
            try database.updateIndex(named: place.name)
            #expect(try database.indexes().map(\.isStale) == [false])
            #expect(try database.find(["m": 5]).explain().indexes == [place.name])
            try database.comparePlainly(SharedDatabase.questions())
            #expect(try database.check().map(\.description) == [])
        }
        // How many depends on what another thread or process has done of the build before.
        #expect(2..<50 ~= reached, "A build reads several snapshots.")
        try bed.manager.close()
    }

    /// Before each transaction of a build, and so between any two of them, queries do without what is half made.
    @Test(arguments: Storage.every) func whatIsHalfMadeIsNotRead(_ type: StorageType) throws {
        let moments = WatchedMoments()
        let bed = try TestDatabase(type, wrapping: WatchedFactory(Storage.factory(type), moments))
        let database = bed.database
        try SharedDatabase.fill(database, 600)
        var reached = 0
        while reached < 50 {
            // Another one each time: an index is not built twice.
            try database.createIndex("i", on: [.ascending(reached % 2 == 0 ? "n" : "m"), .ascending("text")])
            let isReached = try moments.disturb(.transaction, reached + 1) {
                try otherThread { _ = try database.comparePlainly(SharedDatabase.questions()) }
            } during: {
                try database.updateIndex(named: "i")
            }
            guard isReached else { break }
            reached += 1
            #expect(try database.indexes().map(\.isStale) == [false])
            try database.comparePlainly(SharedDatabase.questions())
        }
        #expect(3..<50 ~= reached, "A build has several transactions.")
        #expect(try database.check().map(\.description) == [])
        try bed.manager.close()
    }

    // MARK: - Full disks

    /// How far the files may grow while the index is built, in bytes.
    private static let rooms = isLong ? Array(stride(from: 0, to: 400_000, by: 8192)) : [0, 98_304]

    /// In a process of its own, whose files may not grow beyond a limit.
    @Test(arguments: Storage.everyPersistent, rooms) func aFullDisk(_ type: StorageType, _ room: Int) async {
        await #expect(processExitsWith: .success) { [type = type.name as String, room = room as Int] in
            let type = try StorageType(type)
            let bed = try TestDatabase(type)
            let database = bed.database
            try SharedDatabase.fill(database, 4000)
            // The files as they are, without a log that has room.
            try bed.reopen()
            let open = bed.database
            try open.createIndex("i", on: [.ascending("n"), .ascending("m"), .ascending("text")])
            try open["_design/q"].put([
                "language": "query", "views": ["i": ["map": ["fields": ["m": "asc", "text": "asc"]]]],
            ])
            let largest = try open.files().values.max() ?? 0
            limitFiles(to: Int(largest) + room)
            expectError(.full) { try open.updateIndex(named: "i") }
            // A query does without the index.
            #expect(try open.find(["n": 5]).count() == SharedDatabase.count(of: 5, in: 4000))
            try open.comparePlainly(SharedDatabase.questions())
            expectError(.full) { try open.updateIndex(named: "_design/q/i") }
            try open.comparePlainly(SharedDatabase.questions())
            #expect(try open.check().map(\.description) == [])
            limitFiles(to: .max)
            try open["d7"].update { $0 = ["n": 5, "m": 5] }
            for name in ["i", "_design/q/i"] { try open.updateIndex(named: name) }
            #expect(try open.indexes().map(\.isStale) == [false, false])
            #expect(try open.find(["n": 5]).explain().indexes == ["i"])
            try open.comparePlainly(SharedDatabase.questions())
            #expect(try open.check().map(\.description) == [])
            try bed.reopen()
            try bed.database.comparePlainly(SharedDatabase.questions())
            try bed.manager.close()
        }
    }
}

extension DefinitionPlace {
    /// The same as `define`, by another process.
    fileprivate func defineElsewhere(_ field: String, _ path: String, _ type: StorageType) throws {
        let key = SharedDatabase.environment(type)
        let outcome: Program.Outcome
        switch self {
        case .stored: outcome = try Program.run("index", "create", path, name, "--on", field, environment: key)
        case .design:
            let document = try Program.run("get", path, "_design/q", "--json", environment: key)
            let revision = try JSONValue(parsing: document.text)["_rev"]?.stringValue ?? ""
            let text = JSONValue.object(DefinitionPlace.design([field])).description
            outcome = try Program.run("put", path, "_design/q", text, "--rev", revision, environment: key)
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}

/// Does something when the engine gets a call with a number.
private final class WatchedMoments: Sendable {
    enum Kind { case snapshot, transaction }

    private struct State {
        var kind = Kind.snapshot
        /// How many calls there are until then; 0 or less: it was done, or is not wanted.
        var left = 0
        var body: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Runs `work`, and `body` before the call with this number.
    ///
    /// - Returns: whether that many calls were made.
    func disturb(
        _ kind: Kind,
        _ number: Int,
        _ body: @escaping @Sendable () throws -> Void,
        during work: () throws -> Void
    ) throws -> Bool {
        let outcome = Locked<Result<Void, any Error>?>(nil)
        state.withLock { state in
            state = State(kind: kind, left: number) {
                let result = Result { try body() }
                outcome.withLock { $0 = result }
            }
        }
        defer { state.withLock { $0 = State() } }
        try work()
        guard let outcome = outcome.withLock({ $0 }) else { return false }
        try outcome.get()
        return true
    }

    func note(_ kind: Kind) {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.kind == kind, state.left > 0 else { return nil }
            state.left -= 1
            return state.left == 0 ? state.body.take() : nil
        }
        body?()
    }
}

private final class WatchedFactory: ForwardingEngineFactory {
    let base: any StorageEngineFactory
    private let moments: WatchedMoments

    init(_ base: any StorageEngineFactory, _ moments: WatchedMoments) {
        self.base = base
        self.moments = moments
    }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        WatchedEngine(try base.open(directory: directory, options: options), moments)
    }
}

private final class WatchedEngine: ForwardingEngine {
    let base: any StorageEngine
    private let moments: WatchedMoments

    init(_ base: any StorageEngine, _ moments: WatchedMoments) {
        self.base = base
        self.moments = moments
    }

    func beginRead() throws(StorageError) -> any ReadTransaction {
        moments.note(.snapshot)
        return try base.beginRead()
    }

    func beginSingleRead() throws(StorageError) -> any ReadTransaction {
        moments.note(.snapshot)
        return try base.beginSingleRead()
    }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        moments.note(.transaction)
        return try base.beginWrite(patience: patience)
    }
}
