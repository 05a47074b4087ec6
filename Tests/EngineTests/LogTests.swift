import Foundation
import Logging
import Settee
import SetteeSystemLibrary
import SetteeTestSupport
import StorageProtocol
import Testing

/// What Settee logs, where, and what must never be in it. One test at a time: levels belong to the process.
@Suite(.serialized) struct LogTests {
    private let turn: LogTurn

    init() async throws { turn = try await LogTurn.take() }

    @Test func onlySeriousProblemsAreLoggedUnlessAskedFor() throws {
        #expect(Log.defaultLevel == .error)
        for domain in LogDomain.allCases {
            #expect(Log.level(of: domain) == .error)
            #expect(domain.label == "settee.\(domain.rawValue)")
        }
        let lines = try Captured.during { try work(secret: "quiet") }
        #expect(lines.filter { $0.contains("quiet") } == [])
    }

    @Test func eachDomainHasItsLevel() throws {
        Log.setLevel(.info, for: .database)
        defer { Log.setLevel(Log.defaultLevel) }
        #expect(Log.level(of: .database) == .info)
        #expect(Log.level(of: .document) == .error)
        let lines = try Captured.during { try work(secret: "levels") }.filter { $0.contains("levels") }
        #expect(lines.contains { $0.hasPrefix("info settee.Database: ") && $0.contains("is open") })
        #expect(lines.contains { $0.hasPrefix("info settee.Database: ") && $0.contains("is closed") })
        #expect(lines.allSatisfy { $0.contains(" settee.Database: ") }, "\(lines)")
        Log.setLevel(.off)
        for domain in LogDomain.allCases { #expect(Log.level(of: domain) == .off) }
        #expect(try Captured.during { try work(secret: "nothing") }.filter { $0.contains("nothing") } == [])
    }

    @Test func neitherContentNorIDsNorValuesAreLogged() throws {
        Log.setLevel(.trace)
        defer { Log.setLevel(Log.defaultLevel) }
        let lines = try Captured.during { try work(secret: "openly", hidden: "hush-hush") }
        #expect(lines.contains { $0.contains("settee.Document") })
        #expect(lines.contains { $0.contains("settee.Storage") })
        #expect(lines.contains { $0.contains("settee.Expiry") })
        #expect(!lines.contains { $0.contains("hush-hush") }, "\(lines.filter { $0.contains("hush-hush") })")
    }

    /// A rewrite of the files that failed permanently was logged every two minutes, for ever.
    @Test func aFailureThatLastsIsLoggedOnce() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let lines = try Captured.during {
            bed.steps.fail(with: StorageError(.storage, "Logged once."))
            try bed.empty()
            // The second attempt has failed once the third has begun.
            try expectEventually { bed.steps.begun == 3 }
        }
        #expect(lines.filter { $0.contains("Logged once.") }.count == 1)
        try bed.close()
    }

    @Test func aTraceThatCannotBeWrittenIsToldOfOnce() throws {
        let folder = try TemporaryFolder()
        let lines = try Captured.during {
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            try #require(full >= 0)
            let manager = try Manager(
                directory: folder.url,
                options: .init(storageType: .memory),
                engines: BuiltInEngines.all,
                modules: DatabaseModule.builtIn,
                makeRecorder: { TraceRecorder(descriptor: full) }
            )
            let database = try manager.database(named: "test")
            for number in 0..<2000 { _ = try database["d\(number)"].revision() }
            try manager.close()
        }
        #expect(lines.filter { $0.contains("the trace could not be written") }.count == 1)
    }

    /// SQLite silently drops what follows a damaged frame of its log.
    @Test func commitsThatALogHasLostAreLoggedAndListed() throws {
        let bed = try TestDatabase(.sqlite)
        for number in 0..<20 { try bed.database["d\(number)"].put([:]) }
        let path = try #require(bed.database.path)
        let copy = bed.folder.url.appending(path: "copy.settee")
        try FileManager.default.copyItem(at: URL(filePath: path), to: copy)
        try bed.manager.close()
        let log = copy.appending(path: "data-000001/db.sqlite3-wal")
        for name in ["holders", "data-000001/db.sqlite3-shm"] {
            try FileManager.default.removeItem(at: copy.appending(path: name))
        }
        var bytes = try Data(contentsOf: log)
        bytes[bytes.startIndex + bytes.count / 2] ^= 1
        try bytes.write(to: log)
        let lines = try Captured.during {
            let database = try Database.open(at: copy)
            defer { try? database.close() }
            #expect(try database.documentCount < 20)
            #expect(try database.check().contains { $0.area == "log" })
        }
        #expect(lines.contains { $0.hasPrefix("error settee.Storage: ") && $0.contains("log is damaged") }, "\(lines)")
        let again = try Captured.during { try Database.open(at: copy).close() }
        #expect(!again.contains { $0.contains("log is damaged") })
    }

    @Test func levelsAreOrdered() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.debug < .info)
        #expect(LogLevel.critical < .off)
    }

    /// Causes some of each kind of log message, in a database with `secret` in its name.
    private func work(secret name: String, hidden: String = "hidden") throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        let database = try manager.database(named: name)
        let document = database[hidden]
        try document.put([hidden: .string(hidden)])
        expectError(.conflict) { try document.put([hidden: 2]) }
        expectError(.badJSON) { try document.put(json: #"{"\#(hidden)":}"#) }
        expectApplicationError { try database.inTransaction { throw ApplicationError() } }
        try database.info.set(hidden, for: hidden)
        try database["_local/\(hidden)"].put([hidden: 1])
        try document.setExpiration(.distantPast)
        try expectEventually { try document.revision() == nil }
        try database.compact()
        try manager.close()
        try manager.deleteDatabase(named: name)
    }
}
