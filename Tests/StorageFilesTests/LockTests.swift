import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@Suite("Locks between processes")
struct LockTests {
    @Test func aSwitchNeedsTheDatabaseForItself() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(try folder.isAlone())
        let other = try ProbeProcess(["hold", home.database])
        #expect(try other.line() == "open readWrite")
        #expect(try !folder.isAlone())
        #expect(try folder.holders().filter { !$0.isOwn }.map(\.process) == [UInt32(other.identifier)])
        var wasBuilt = false
        let error = try failure(.inUse) { _ = try folder.switchGeneration(build: { _ in wasBuilt = true }) }
        #expect(error.message.contains("StorageFilesProbe (process \(other.identifier))"))
        #expect(!wasBuilt, "what cannot be switched in is not built")
        #expect(try other.end().status == 0)
        #expect(try folder.isAlone())
        try folder.switchGeneration(build: { _ in }).delete()
    }

    /// Opening the folder in another process while the new generation is being built prevents the switch, and the
    /// attempt loses nothing.
    @Test func oneWhoComesMeanwhileHoldsUpTheSwitch() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        var other: ProbeProcess?
        let error = try failure(.inUse) {
            _ = try folder.switchGeneration { (_) throws(StorageError) in
                other = try? ProbeProcess(["hold", home.database])
                _ = try? other?.line()
            }
        }
        let process = try #require(other)
        #expect(error.message.contains("process \(process.identifier)"))
        #expect(folder.manifest.serial == 1)
        #expect(exists(home.database + "/data-000001/db"))
        #expect(!exists(home.database + "/data-000002"))
        // The failed attempt released the shared lock and took it again: the other process cannot switch or delete
        // either.
        #expect(try process.end().status == 0)
        let outcome = try ProbeProcess.run(["destroy", home.database])
        #expect(outcome.output.hasPrefix("error 423"))
        #expect(try ProbeProcess.run(["switch", home.database]).output.hasPrefix("error 423"))
    }

    @Test func nobodyComesInWhileASwitchIsDecided() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        var during: StorageError?
        let retired = try folder.switchGeneration(
            build: { (data) throws(StorageError) in try write("generation 2", to: data + "/db") },
            beforeCommit: { () throws(StorageError) in
                do throws(StorageError) {
                    _ = try DatabaseFolder.open(at: home.database, timeout: .milliseconds(20))
                } catch {
                    during = error
                }
            }
        )
        #expect(during?.code == .inUse)
        let second = try DatabaseFolder.open(at: home.database)
        #expect(second.manifest.serial == 2)
        second.close()
        try retired.delete()
    }

    /// Old generations, new generations and staging folders that a live process holds are not swept by another.
    @Test func nothingLockedIsSwept() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let maker = try ProbeProcess(["hold-staging", home.path + "/other.settee"])
        #expect(try maker.line() == "staging")
        #expect(try home.names().count == 2)
        let retired = try folder.switchGeneration { (_) throws(StorageError) in
            let outcome = try? ProbeProcess.run(["open", home.database])
            #expect(outcome?.status == 0)
            #expect(exists(home.database + "/data-000002"), "being built")
        }
        #expect(try ProbeProcess.run(["open", home.database]).status == 0)
        #expect(exists(home.database + "/data-000001/db"), "still read by this process")
        try retired.delete()
        #expect(!exists(home.database + "/data-000001"))
        #expect(try home.names().count == 2, "another database is still being made")
        #expect(try maker.end().status == 0)
        #expect(try home.names() == ["library.settee", "other.settee"])
    }

    @Test func leftoversOfTheKilledGo() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let maker = try ProbeProcess(["hold-staging", home.path + "/other.settee"])
        #expect(try maker.line() == "staging")
        let holder = try ProbeProcess(["hold", home.database])
        #expect(try holder.line() == "open readWrite")
        maker.kill()
        holder.kill()
        #expect(try home.names(in: home.database + "/holders").count == 1)
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(try home.names() == ["library.settee"])
        #expect(try folder.holders().map(\.isOwn) == [true])
        #expect(try home.names(in: home.database + "/holders").count == 1)
    }

    @Test func whatOnlyLooksLikeALeftoverStays() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for name in [".settee-staging-", ".settee-staging-0123", "settee-staging-" + String(repeating: "0", count: 32)]
        {
            try write("mine", to: home.path + "/" + name)
        }
        try write("mine", to: home.database + "/data-1")
        try DatabaseFolder.open(at: home.database).close()
        #expect(try home.names().count == 4)
        #expect(exists(home.database + "/data-1"))
    }

    @Test func garbageInHoldersNeverTraps() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let other = try ProbeProcess(["hold", home.database])
        _ = try other.line()
        let own = try #require(try folder.holders().first { $0.isOwn })
        #expect(own.process == UInt32(ProcessInfo.processInfo.processIdentifier))
        let files = try home.names(in: home.database + "/holders").map { home.database + "/holders/" + $0 }
        let page = try #require(files.first { ((try? bytes(of: $0)) ?? []).count == 4096 })
        var generator = SeededGenerator(seed: 77)
        for round in 0..<200 {
            var garbage = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Some with the magic number, so that the rest is read.
            if round % 2 == 0 { garbage.replaceSubrange(0..<8, with: Array("SETTEEH1".utf8)) }
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: page))
            try handle.write(contentsOf: garbage)
            try handle.close()
            #expect(try folder.holders().count >= 1, "seed 77, round \(round)")
            if round % 2 == 1 {
                #expect(try folder.oldestSnapshotInAnyProcess() == 0, "an unknown reader may read anything")
            }
        }
        #expect(try other.end().status == 0)
    }
}
