internal import Foundation
internal import StorageProtocol

extension Conformance {
    static let sharing: [ConformanceTest] = [
        ConformanceTest(
            "Sharing",
            "a multiProcess store shows the commits of another process, but not to older snapshots",
            needs: [.persistence, .processes]
        ) { context in
            guard context.row.factory.capabilities.sharing == .multiProcess else { return }
            let place = try SharedStore(context)
            let engine = try context.open(place.store, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("mine") }
            let snapshot = try engine.beginRead()
            let before = try snapshot.counters()
            try context.runPart(.append, place)
            context.equal(try snapshot.ids(), ["mine"], "a snapshot does not see another process's commit")
            context.equal(try snapshot.counters(), before, "nor do its counters")
            snapshot.end()
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids(), ["mine", "theirs"], "a new snapshot does")
                context.equal(try tx.changes(), ["1 mine", "2 theirs"], "and so does the listing by sequence")
                context.expect(try tx.counters().changeCounter > before.changeCounter, "the change counter grew")
            }
            try engine.write { (tx) throws(StorageError) in try tx.add("later") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters().lastSequence },
                3,
                "one order"
            )
        },
        ConformanceTest(
            "Sharing",
            "two processes that write in turns lose nothing",
            needs: [.persistence, .processes]
        ) { context in
            guard context.row.factory.capabilities.sharing == .multiProcess else { return }
            let place = try SharedStore(context)
            let engine = try context.open(place.store, create: true)
            let wait = try context.startPart(.contend, place)
            for n in 0..<SharedStore.turns { try place.write(engine, "mine\(n)") }
            context.equal(try wait(), 0, "the other process succeeds")
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids().count, 2 * SharedStore.turns, "all documents")
                context.equal(try tx.counters().lastSequence, UInt64(2 * SharedStore.turns), "no sequence used twice")
                context.equal(try tx.counters().liveDocuments, UInt64(2 * SharedStore.turns), "all counted")
            }
        },
        ConformanceTest(
            "Sharing",
            "a store that is not multiProcess is refused to a second writing process",
            needs: [.persistence, .processes]
        ) { context in
            guard context.row.factory.capabilities.sharing != .multiProcess else { return }
            let place = try SharedStore(context)
            let engine = try context.open(place.store, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("mine") }
            try context.runPart(.refused, place)
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.ids() }, ["mine"], "the first goes on")
        },
        ConformanceTest(
            "Sharing",
            "what a process had committed when it died is there, what it had not is not",
            needs: [.persistence, .processes]
        ) { context in
            let place = try SharedStore(context)
            context.close(try context.open(place.store, create: true))
            let wait = try context.startPart(.die, place)
            context.equal(try wait(), SharedStore.deathStatus, "the other process dies in a write transaction")
            let engine = try context.open(place.store)
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["kept"],
                "only what was committed"
            )
            try engine.write { (tx) throws(StorageError) in try tx.add("new") }
        },
    ]

    /// Runs one half of a test with two processes. Call it in the process that `EngineCase.startPart` starts.
    public static func runPart(_ part: String, directory: String, on engine: EngineCase) throws {
        guard let part = SharedStore.Part(rawValue: part) else {
            throw ConformanceFailure(
                promise: "the part of a test exists",
                expected: "one of \(SharedStore.Part.allCases)",
                found: part,
                file: #fileID,
                line: #line
            )
        }
        try SharedStore(directory: directory).run(part, on: engine)
    }
}

/// A store shared by two processes, and the lock under which they write.
struct SharedStore {
    /// The part of the other process.
    enum Part: String, CaseIterable {
        case append
        case contend
        case refused
        case die
    }

    static let turns = 25
    static let deathStatus: Int32 = 9

    let directory: String
    var store: String { directory + "/store" }
    private var lock: FileLock { FileLock(path: directory + "/writer") }

    init(directory: String) { self.directory = directory }

    init(_ context: ConformanceContext) throws {
        directory = try context.makeDirectory()
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
    }

    /// Adds a document under the lock that the contract requires.
    func write(_ engine: any StorageEngine, _ id: String) throws(StorageError) {
        try lock.holding { () throws(StorageError) in
            _ = try engine.write { (tx) throws(StorageError) in try tx.add(id) }
        }
    }

    func run(_ part: Part, on row: EngineCase) throws {
        let options = StorageOptions(durability: row.durability, key: row.key)
        if part == .refused {
            do throws(StorageError) {
                let engine = try row.factory.open(directory: store, options: options)
                defer { engine.close() }
                try write(engine, "theirs")
            } catch {
                return
            }
            throw ConformanceFailure(
                promise: "a store declared \(row.factory.capabilities.sharing) is refused to a second writing process",
                expected: "an error",
                found: "none",
                file: #fileID,
                line: #line
            )
        }
        let engine = try row.factory.open(directory: store, options: options)
        defer { engine.close() }
        switch part {
        case .append: try write(engine, "theirs")
        case .contend: for n in 0..<SharedStore.turns { try write(engine, "theirs\(n)") }
        case .die, .refused:
            try write(engine, "kept")
            try lock.holding { () throws(StorageError) in
                let writer = try engine.beginWrite()
                for n in 0..<300 { try writer.add("lost\(n)", String(repeating: "x", count: 1_000)) }
                endAbruptly(SharedStore.deathStatus)
            }
        }
    }
}

extension ConformanceContext {
    func startPart(_ part: SharedStore.Part, _ place: SharedStore) throws -> @Sendable () throws -> Int32 {
        guard let start = row.startPart else { preconditionFailure("The test needs a second process") }
        return try start(part.rawValue, place.directory)
    }

    func runPart(_ part: SharedStore.Part, _ place: SharedStore) throws {
        equal(try startPart(part, place)(), 0, "the part '\(part)' succeeds in another process")
    }
}
