import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

/// Each operation is killed at each of its system calls, or has each of them fail with a full disk. Afterwards there is
/// the old or the new state, intact, and after the next open nothing else.
@Suite(
    "Kills and full disks at every system call",
    .serialized,
    .enabled(if: ProbeProcess.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct CrashTests {
    enum Operation: String, CaseIterable, Sendable {
        case create
        case open
        case switchGeneration = "switch"
        case switchBlobs = "switch-blobs"
        case replace
        case publish
        case destroy
    }

    private static let blob = "a blob from before"

    /// Prepares what the operation starts from.
    private func prepare(_ operation: Operation) throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        guard operation != .create else { return home }
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        try StorageFilesTests.publish(Self.blob, in: folder.makeBlobStore())
        folder.close()
        if operation == .open { try litter(home) }
        return home
    }

    /// All that kills can leave behind.
    private func litter(_ home: TemporaryFolder) throws {
        let manager = FileManager.default
        let staging = ".settee-staging-" + String(repeating: "0123456789abcdef", count: 2)
        try put([1, 2, 3], at: home.database + "/manifest.json")
        for folder in [home.path, home.database] {
            try manager.createDirectory(atPath: folder + "/" + staging + "/deep/er", withIntermediateDirectories: true)
            try write("half", to: folder + "/" + staging + "/deep/db")
        }
        try write("half", to: home.database + "/blobs-000001/" + staging)
        for name in ["data-000007", "blobs-000003"] {
            try manager.createDirectory(atPath: home.database + "/" + name, withIntermediateDirectories: false)
            try write("half", to: home.database + "/" + name + "/file")
            try write("", to: home.database + "/.settee-generation-" + name)
        }
        try write("", to: home.database + "/.settee-generation-data-000009")
        try write("stale", to: home.database + "/holders/" + String(repeating: "dead", count: 8))
    }

    /// Opens what is there and checks that it is intact, clean, and usable.
    private func examine(_ home: TemporaryFolder, _ operation: Operation, _ what: String) throws {
        guard exists(home.database) else {
            #expect(operation == .create || operation == .destroy, "\(what): the database is gone")
            // The next process to create one sweeps.
            try home.makeDatabase()
            #expect(try home.names() == ["library.settee"], "\(what)")
            return
        }
        let folder = try DatabaseFolder.open(at: home.database)
        defer { folder.close() }
        let data = folder.manifest.dataGeneration
        let blobs = folder.manifest.blobGeneration
        #expect(data == 1 || (data == 2 && [.switchGeneration, .switchBlobs, .replace].contains(operation)), "\(what)")
        #expect(try text(of: folder.dataDirectory + "/db") == "generation \(data)", "\(what)")
        #expect(try home.names() == ["library.settee"], "\(what)")
        #expect(
            try home.names(in: home.database)
                == [
                    Manifest.generationName(.blobs, blobs), Manifest.generationName(.data, data), "gate", "holders",
                    "lock", "manifest-copy.json", "manifest.json", "writer",
                ],
            "\(what)"
        )
        #expect(try home.names(in: home.database + "/holders").count == 1, "\(what)")
        #expect(
            try bytes(of: home.database + "/manifest.json") == bytes(of: home.database + "/manifest-copy.json"),
            "\(what)"
        )
        let store = try folder.makeBlobStore()
        var found: [String] = []
        try store.names { name in
            found.append(name)
            return true
        }
        for name in found { #expect(try store.verify(name) == nil, "\(what)") }
        if operation != .create { #expect(found.count == 1 || (found.count == 2 && operation == .publish), "\(what)") }
        for name in try home.names(in: store.directory) { #expect(name.utf8.count == 2, "\(what): \(name)") }
        try StorageFilesTests.publish("a later blob", in: store)
        try folder.withWriterLock(timeout: .zero) { () throws(StorageError) in }
        try folder.switchGeneration { (data) throws(StorageError) in try write("next", to: data + "/db") }.delete()
    }

    @Test(arguments: Operation.allCases)
    func aKillLeavesTheOldOrTheNew(_ operation: Operation) throws {
        let untouched = try prepare(operation)
        let calls = try SystemCall.record([operation.rawValue, untouched.database])
        try #require(calls.count > 10)
        for call in SystemCall.sample(calls, 7) {
            let home = try prepare(operation)
            let outcome = try call.kill([operation.rawValue, home.database])
            #expect(outcome.wasKilled, "\(operation) at \(call) of \(calls.count): \(outcome.output)")
            try examine(home, operation, "\(operation) killed at \(call)")
        }
    }

    @Test(arguments: Operation.allCases)
    func aFullDiskIsAnErrorAndNoMore(_ operation: Operation) throws {
        let untouched = try prepare(operation)
        let calls = try SystemCall.record([operation.rawValue, untouched.database])
        for call in SystemCall.sample(calls, 7) {
            let home = try prepare(operation)
            let outcome = try call.fail([operation.rawValue, home.database])
            let what = "\(operation) with \(call) failing: \(outcome.output)"
            #expect(!outcome.wasKilled, "\(what)")
            let isClear = outcome.output.contains("error 507 full") || outcome.output.contains("error 498 fileSystem")
            #expect(
                outcome.status == 0 || (outcome.status == 1 && (isClear || outcome.output.contains("error 590"))),
                "\(what)"
            )
            try examine(home, operation, what)
        }
    }
}
