internal import Foundation
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// SQLite silently ignores what follows a damaged frame of its log. Opening and checking report it, and do not report
/// what a kill leaves behind.
@Suite struct LogDamageTests {
    private static let frame = 4096 + 24

    /// The file and its log as a kill leaves them.
    private func killed(_ engine: any StorageEngine, _ store: TestStore) throws -> TestStore {
        let left = try TestStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: left.path + suffix)
        }
        return left
    }

    private func log(_ store: TestStore) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: store.path + "-wal")))
    }

    private func setLog(_ store: TestStore, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: store.path + "-wal"))
        try? FileManager.default.removeItem(atPath: store.path + "-shm")
    }

    /// Opens a store with this log; returns what opening reports, what checking reports, and the number of documents.
    private func outcome(
        _ store: TestStore,
        _ file: [UInt8],
        _ bytes: [UInt8]
    ) throws -> (opening: [String], check: [String], count: Int) {
        try store.write(file)
        try setLog(store, bytes)
        try? FileManager.default.removeItem(atPath: store.path + "-wal-damaged")
        let engine = try store.open(StorageOptions())
        defer { engine.close() }
        let count = try engine.read { (now) throws(StorageError) in try now.ids().count }
        return (engine.openingProblems.map(\.description), try engine.problems(), count)
    }

    /// Twenty commits of a document each.
    private func twenty() throws -> (store: TestStore, file: [UInt8], log: [UInt8]) {
        let store = try TestStore()
        let engine = try store.open()
        for number in 0..<20 { try engine.insert(number..<number + 1) }
        let left = try killed(engine, store)
        #expect(try engine.problems() == [])
        engine.close()
        return (left, try left.fileBytes, try log(left))
    }

    /// The same with a byte of the fourth frame changed.
    private func damagedTwenty() throws -> (store: TestStore, file: [UInt8], log: [UInt8]) {
        let (store, file, whole) = try twenty()
        var log = whole
        log[32 + 3 * Self.frame + 24 + 1000] ^= 0x40
        try store.write(file)
        try setLog(store, log)
        return (store, file, log)
    }

    @Test func damageInTheMiddleIsTold() throws {
        let (store, file, whole) = try twenty()
        let frames = (whole.count - 32) / Self.frame
        var counts: Set<Int> = []
        for number in 0..<frames {
            // In the page, in the frame's checksum, in its salt, and in its page number.
            for offset in [24 + 1000, 16, 9, 2] {
                var damaged = whole
                damaged[32 + number * Self.frame + offset] ^= 0x40
                let found = try outcome(store, file, damaged)
                counts.insert(found.count)
                #expect(found.count < 20)
                #expect(found.opening.count == 2, "frame \(number + 1), byte \(offset): \(found)")
                #expect(found.opening.first?.contains("frame \(number + 1)") == true)
                #expect(found.check == found.opening)
            }
        }
        #expect(counts.isSuperset(of: 0..<20), "Each frame's damage takes what comes after it.")
        for offset in 0..<32 {
            var damaged = whole
            damaged[offset] ^= 0x40
            let found = try outcome(store, file, damaged)
            #expect(found.count == 0)
            #expect(found.opening.count == 2 && found.check == found.opening, "byte \(offset)")
        }
        #expect(try outcome(store, file, whole).opening == [])
    }

    /// A kill may end the log anywhere, or leave the last frame half written over what was there.
    @Test func anEndThatWasCutOffIsNoDamage() throws {
        let (store, file, whole) = try twenty()
        for length in stride(from: 0, through: whole.count, by: 1031) {
            let found = try outcome(store, file, Array(whole.prefix(length)))
            #expect(found.opening == [] && found.check == [], "\(length) bytes: \(found)")
        }
        for torn in [1, 8, 24, 25, 2000, Self.frame - 1] {
            var bytes = whole
            bytes += whole[32..<32 + torn]
            bytes += [UInt8](repeating: 0, count: Self.frame - torn)
            let found = try outcome(store, file, bytes)
            #expect(found.opening == [] && found.check == [], "\(torn) bytes")
        }
    }

    /// A log that starts over leaves frames of the previous one after its end: they are not damage.
    @Test func whatAnEarlierLogLeftIsNoDamage() throws {
        let store = try TestStore()
        let engine = try store.open()
        for number in 0..<60 { try engine.insert(number..<number + 1) }
        // Moved completely, so that the next commit starts the log over, but its file keeps its length.
        let connection = try ConnectionSettings(path: store.path, options: StorageOptions(), kind: .plain(.linked()))
            .writer()
        #expect(try !connection.checkpoint(.passive).isHeldUp)
        connection.close()
        for number in 60..<64 {
            try engine.insert(number..<number + 1)
            let left = try killed(engine, store)
            let found = try outcome(left, left.fileBytes, log(left))
            #expect(found.opening == [] && found.check == [] && found.count == number + 1)
        }
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// A transaction that outgrew the cache and was rolled back leaves its frames after the end, in the same log.
    @Test func whatWasRolledBackIsNoDamage() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<1)
        for round in 1..<4 {
            let transaction = try engine.beginWrite()
            let large = [UInt8](repeating: 0x61, count: 1_000_000)
            for number in 0..<(30 - round * 3) { try transaction.insert("large-\(number)", large) }
            transaction.rollback()
            try engine.insert(round..<round + 1)
        }
        let left = try killed(engine, store)
        #expect((left.size("-wal") ?? 0) > 10_000_000)
        #expect(try engine.problems() == [])
        engine.close()
        let found = try outcome(left, left.fileBytes, log(left))
        #expect(found.opening == [] && found.check == [] && found.count == 4)
    }

    /// A process that is killed after a commit's last frame, but before publishing it, leaves a commit that the next
    /// writer partly overwrites.
    @Test func aCommitThatWasWrittenOverIsNoDamage() throws {
        let (store, file, whole) = try twenty()
        let frames = (whole.count - 32) / Self.frame
        // The log up to a commit, then another one, then the rest of the previous one: its checksums do not continue.
        let commits = (0..<frames).filter {
            whole[(32 + $0 * Self.frame + 4)..<(32 + $0 * Self.frame + 8)] != [0, 0, 0, 0]
        }
        let end = try #require(commits.dropLast(2).last) + 1
        let next = try #require(commits.dropLast(1).last) + 1
        var bytes = Array(whole[..<(32 + end * Self.frame)])
        var torn = Array(whole[(32 + end * Self.frame)..<(32 + next * Self.frame)])
        for place in 2000..<Self.frame { torn[place] = UInt8(truncatingIfNeeded: place) }
        bytes += torn.prefix(Self.frame)
        let found = try outcome(store, file, bytes)
        #expect(found.opening == [] && found.check == [])
        #expect(found.count == 18)
    }

    /// A log that is damaged while in use is not recovered by anyone until all have closed it: the damage can still be
    /// reported.
    @Test func damageOfALogInUseIsTold() throws {
        let store = try TestStore()
        let engine = try store.open()
        for number in 0..<20 { try engine.insert(number..<number + 1) }
        #expect(try engine.problems() == [])
        let handle = try #require(fopen(store.path + "-wal", "r+"))
        unsafe fseek(handle, 32 + 24 + 4000, SEEK_SET)
        unsafe fputc(0xEE, handle)
        unsafe fclose(handle)
        #expect(try engine.problems().contains { $0.hasPrefix("log: ") && $0.contains("frame 1:") })
        engine.close()
    }

    /// SQLite removes the log after recovering what it can. So the first opening used to report the damage, and later
    /// ones did not.
    @Test func everyLaterOpeningTellsOfIt() throws {
        let (store, _, damaged) = try damagedTwenty()
        // Reading alone does not change the log.
        let reader = try store.open(StorageOptions(create: false, readOnly: true))
        #expect(reader.openingProblems.count == 1)
        reader.close()
        #expect(store.size("-wal-damaged") == nil)
        for _ in 0..<2 {
            let engine = try store.open(StorageOptions())
            #expect(engine.openingProblems.contains { $0.message.contains("-wal-damaged'") })
            #expect(try engine.problems() == engine.openingProblems.map(\.description))
            engine.close()
            #expect(try [UInt8](Data(contentsOf: URL(filePath: store.path + "-wal-damaged"))) == damaged)
        }
        let again = try store.open(StorageOptions(create: false, readOnly: true))
        #expect(again.openingProblems.count == 1)
        again.close()
        try FileManager.default.removeItem(atPath: store.path + "-wal-damaged")
        let engine = try store.open(StorageOptions())
        #expect(engine.openingProblems.isEmpty)
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// A process that was killed may have left a part of the copy; a link or a folder is not ours.
    @Test func whatStandsInThePlaceOfTheCopy() throws {
        let (store, file, damaged) = try damagedTwenty()
        try Data([1, 2, 3]).write(to: URL(filePath: store.path + "-wal-damaged.new"))
        try store.open(StorageOptions()).close()
        #expect(try [UInt8](Data(contentsOf: URL(filePath: store.path + "-wal-damaged"))) == damaged)
        for suffix in ["-wal-damaged", "-wal-damaged.new"] {
            try FileManager.default.removeItem(atPath: store.path + "-wal-damaged")
            try store.write(file)
            try setLog(store, damaged)
            let victim = store.path + ".victim"
            try Data([9]).write(to: URL(filePath: victim))
            try FileManager.default.createSymbolicLink(atPath: store.path + suffix, withDestinationPath: victim)
            #expect(throws: StorageError.self) { try store.open(StorageOptions()) }
            #expect(try [UInt8](Data(contentsOf: URL(filePath: victim))) == [9])
            #expect(try log(store) == damaged)
            try FileManager.default.removeItem(atPath: store.path + suffix)
            try store.open(StorageOptions()).close()
        }
    }

    /// Flipped bytes anywhere in one large commit, the last of the log, used to lose all of it silently.
    @Test func aChangedWordInTheLastCommitIsTold() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<1)
        try engine.insert(1..<600)
        let left = try killed(engine, store)
        engine.close()
        let (file, whole) = (try left.fileBytes, try log(left))
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<40 {
            var damaged = whole
            let place = Int.random(in: 32 + Self.frame * 12..<whole.count, using: &generator)
            damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
            let found = try outcome(left, file, damaged)
            #expect(found.count <= 1)
            #expect(found.opening.count == 2, "byte \(place) of \(whole.count): \(found)")
        }
    }
}
