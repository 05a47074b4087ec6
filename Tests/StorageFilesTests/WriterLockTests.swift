import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@Suite("The writer lock")
struct WriterLockTests {
    @Test func namesWhoHasIt() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let other = try ProbeProcess(["hold-writer", home.database])
        #expect(try other.line() == "locked \(other.identifier)")
        let error = try failure(.inUse) { try folder.lockWriter(timeout: .milliseconds(30)) }
        #expect(error.message.contains("StorageFilesProbe (process \(other.identifier))"))
        #expect(error.code.isRetryable)
        #expect(try folder.holders().first { !$0.isOwn }?.holdsWriter == true)
        #expect(try folder.holders().first { $0.isOwn }?.wantsWriter == false)
        #expect(try other.end().status == 0)
        try folder.lockWriter(timeout: .zero)
        #expect(try folder.holders().map(\.holdsWriter) == [true])
        folder.unlockWriter()
    }

    @Test func isFreeAfterAKill() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let other = try ProbeProcess(["hold-writer", home.database])
        _ = try other.line()
        other.kill()
        try folder.withWriterLock(timeout: .zero) { () throws(StorageError) in }
    }

    @Test func isGivenBackWhenTheBodyThrowsAndAtClose() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        try failure(.conflict) {
            try folder.withWriterLock { () throws(StorageError) in throw StorageError(.conflict, "no") }
        }
        let second = try DatabaseFolder.open(at: home.database)
        try second.lockWriter(timeout: .zero)
        try failure(.inUse) { try folder.lockWriter(timeout: .zero) }
        second.close()
        try folder.lockWriter(timeout: .zero)
    }

    /// Two processes that write in loops: no write is lost, and neither starves.
    @Test func twoLoopsBothGetOn() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let length = isStress ? "5000" : "600"
        let loops = try (0..<2).map { _ in try ProbeProcess(["write-loop", home.database, length]) }
        for loop in loops { #expect(try loop.line() == "open readWrite") }
        // Both begin at once, when their input is closed.
        let outcomes = try loops.map { loop in
            loop.begin()
            return loop
        }.map { try $0.end() }
        let turns = outcomes.map { outcome in
            outcome.output.split(separator: "\n").first.flatMap { UInt64($0.dropFirst("turns ".count)) } ?? 0
        }
        let counted = try bytes(of: home.database + "/data-000001/counter").reversed().reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        #expect(counted == turns[0] + turns[1])
        let smaller = min(turns[0], turns[1])
        #expect(smaller * 5 >= max(turns[0], turns[1]), "\(turns)")
        #expect(smaller > 50, "\(turns)")
    }
}
