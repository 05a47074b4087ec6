import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

/// What happens if a folder cannot be written. Root may write anything, so the probe drops its rights.
@Suite("Reading where nothing can be written", .enabled(if: geteuid() == 0, "another user is needed: run as root"))
struct ReadOnlyTests {
    private func nobody(_ arguments: [String]) throws -> ProbeProcess.Outcome {
        try ProbeProcess.run(["--as-nobody"] + arguments)
    }

    @Test func whoMayWriteReadsBesideWriters() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database, readOnly: true)
        #expect(folder.access == .readOnlyShared)
        #expect(!folder.isOnReadOnlyMedium)
        try DatabaseFolder.open(at: home.database).withWriterLock(timeout: .zero) { () throws(StorageError) in }
    }

    @Test func whoMayNotWriteIsTold() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for command in ["open", "switch", "destroy"] {
            let outcome = try nobody([command, home.database])
            #expect(outcome.output.hasPrefix("error 403 readOnly"), "\(command): \(outcome.output)")
        }
        #expect(try nobody(["create", home.path + "/new.settee"]).output.hasPrefix("error 403 readOnly"))
        #expect(try home.names() == ["library.settee"])
        try DatabaseFolder.open(at: home.database).close()
    }

    /// With no log and no writer, the files do not change while the reader is there: writers wait for it.
    @Test func anImmutableReaderKeepsWritersOut() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let reader = try ProbeProcess(["--as-nobody", "hold", home.database, "read-only"])
        #expect(try reader.line() == "open readOnlyImmutable")
        let second = try nobody(["read-only", home.database])
        #expect(second.output == "readOnlyImmutable\ndone\n", "any number of them")
        let folder = try DatabaseFolder.open(at: home.database)
        let error = try failure(.inUse) { try folder.lockWriter(timeout: .milliseconds(30)) }
        #expect(error.message.contains("without write permission"))
        #expect(try !folder.isAlone())
        #expect(try folder.oldestSnapshotInAnyProcess() == 0)
        let refusal = try failure(.inUse) { _ = try folder.switchGeneration(build: { _ in }) }
        #expect(refusal.message.contains("cannot leave its name"))
        folder.close()
        try failure(.inUse) { try DatabaseFolder.destroy(at: home.database) }
        #expect(try reader.end().status == 0)
        try DatabaseFolder.open(at: home.database).withWriterLock(timeout: .zero) { () throws(StorageError) in }
    }

    @Test func aWriterKeepsImmutableReadersOut() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        try folder.lockWriter()
        let outcome = try nobody(["read-only", home.database])
        #expect(outcome.output.hasPrefix("error 423"))
        #expect(outcome.output.contains("(process \(ProcessInfo.processInfo.processIdentifier))"))
        folder.unlockWriter()
        #expect(try nobody(["read-only", home.database]).status == 0)
    }

    @Test func aLogDecidesHowToRead() throws {
        let home = try TemporaryFolder()
        let data = try home.makeDatabase() + "/data-000001"
        try write("", to: data + "/db-wal")
        #expect(try nobody(["read-only", home.database]).output.hasPrefix("readOnlyImmutable"), "an empty log")
        try write("frames", to: data + "/db-wal")
        let outcome = try nobody(["read-only", home.database])
        #expect(outcome.output.hasPrefix("error 403 readOnly"), "a log without its index")
        #expect(outcome.output.contains("write permission"))
        try write("index", to: data + "/db-shm")
        #expect(try nobody(["read-only", home.database]).output.hasPrefix("readOnlyShared"), "a log with its index")
    }

    @Test func missingLocksAreNoProofOfQuiet() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        try FileManager.default.removeItem(atPath: home.database + "/writer")
        let outcome = try nobody(["read-only", home.database])
        #expect(outcome.output.hasPrefix("error 403 readOnly"))
    }

    @Test func aFolderThatMayNotBeReadIsTold() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.database)
        #expect(try nobody(["read-only", home.database]).output.hasPrefix("error 498"))
        #expect(try nobody(["open", home.database]).status == 1)
    }
}
