#if os(Linux)
import Foundation
import SetteeTestSupport
import Settee
import SetteeProgramSupport
import Testing

/// The commit that drops a content is on disk before the content is deleted: otherwise a loss of power that undoes the
/// last commits would bring back the reference without the content. Observed from outside, as system calls.
@Suite struct AttachmentSyncTests {
    private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let combinations = Storage.plainShared.flatMap { type in
        ["full", "normal"].map { (type, $0) }
    }

    /// A checkpoint syncs SQLite's log only if it moves something, and a reader can prevent that. A collector that
    /// syncs its own commits has to sync other processes' too.
    @Test(.enabled(if: strace != nil), arguments: combinations)
    func referencesGoToDiskBeforeContents(type: StorageType, durability: String) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            for name in ["a", "b", "c"] { try database[name].setAttachment(named: "x", content: Array(name.utf8)) }
            // A reader that collections do not know about: it holds the log, but not the contents.
            let reader = try bed.engine().beginRead()
            defer { reader.end() }
            for (round, name) in ["a", "b"].enumerated() {
                try database[name].purge()
                let calls = try traced(["compact", path, "--durability", durability])
                let trashed = try #require(calls.firstIndex { $0.hasPrefix("rename") && $0.contains("/trash/") })
                let removed = try #require(calls.firstIndex { $0.hasPrefix("unlink") && $0.contains("/trash/") })
                let syncs = calls.indices.filter { isSync(calls[$0]) }
                #expect(syncs.contains { $0 < trashed }, "round \(round), before the trash: \(calls)")
                #expect(syncs.contains { $0 > trashed && $0 < removed }, "round \(round), before the end: \(calls)")
            }
            // Nothing to collect, and what was collected before is deleted for good.
            try database.read { _ in
                try database.background { try $0["c"].purge() }
                _ = try traced(["compact", path, "--durability", durability])
            }
            let calls = try traced(["compact", path, "--durability", durability])
            let removed = try #require(calls.firstIndex { $0.hasPrefix("unlink") && $0.contains("/trash/") })
            #expect(calls[..<removed].contains(where: isSync), "\(calls)")
        }
    }

    private func isSync(_ call: String) -> Bool {
        call.contains("sync(") && (call.contains("/db.sqlite3-wal>") || call.contains("/data.mdb>"))
    }

    /// The calls of a run of `settee` that sync, rename and delete, in their order, with the paths of descriptors.
    private func traced(_ arguments: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        let log = folder.url.appending(path: "calls").path
        let names = "fsync,fdatasync,?rename,?renameat,?renameat2,?unlink,?unlinkat"
        let outcome = try Child(
            program: URL(filePath: try #require(Self.strace)),
            ["-f", "-y", "-s", "4096", "-o", log, "-e", "trace=" + names, Program.required().path] + arguments,
            input: [],
            environment: [:]
        ).wait()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
            String(line.drop { $0.isNumber || $0 == " " })
        }
    }
}

extension Database {
    fileprivate func background(_ body: @escaping @Sendable (Database) throws -> Void) throws {
        try Background { try body(self) }.join()
    }
}
#endif
