import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

/// Folders of storage types that only one process may write.
@Suite("Sharing between processes")
struct SharingTests {
    private func open(
        _ home: TemporaryFolder,
        _ sharing: StorageSharing,
        readOnly: Bool = false
    ) throws -> DatabaseFolder {
        try DatabaseFolder.open(
            at: home.database,
            readOnly: readOnly,
            writerPatience: .milliseconds(50),
            authorize: { (_, _) throws(StorageError) in sharing }
        )
    }

    @Test(arguments: [StorageSharing.exclusive, StorageSharing(rawValue: "of tomorrow")])
    func anExclusiveStoreIsOfOneProcess(sharing: StorageSharing) throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for arguments in [[sharing.rawValue], [sharing.rawValue, "read-only"]] {
            let other = try ProbeProcess(["hold-as", home.database] + arguments)
            #expect(try other.line().hasPrefix("open "))
            for readOnly in [false, true] {
                let error = try failure(.inUse) { _ = try open(home, sharing, readOnly: readOnly) }
                #expect(error.message.contains("StorageFilesProbe (process \(other.identifier))"), "\(error.message)")
            }
            #expect(try other.end().status == 0)
            try open(home, sharing).close()
        }
    }

    @Test func oneWriterAndManyReaders() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let writer = try ProbeProcess(["hold-as", home.database, "oneWriterManyReaders"])
        #expect(try writer.line() == "open readWrite")
        let error = try failure(.inUse) { _ = try open(home, .oneWriterManyReaders) }
        #expect(error.message.contains("(process \(writer.identifier))"), "\(error.message)")
        let first = try open(home, .oneWriterManyReaders, readOnly: true)
        let second = try open(home, .oneWriterManyReaders, readOnly: true)
        #expect(first.access == .readOnlyShared)
        first.close()
        second.close()
        let third = try open(home, .oneWriterManyReaders, readOnly: true)
        #expect(try writer.end().status == 0)
        let next = try open(home, .oneWriterManyReaders)
        next.close()
        third.close()
    }

    /// Transactions lock and unlock; the folder keeps its lock.
    @Test func writingGivesNothingAway() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try open(home, .exclusive)
        for _ in 0..<3 { try folder.withWriterLock { () throws(StorageError) in } }
        folder.unlockWriter()
        try folder.switchGeneration(build: { _ in }).delete()
        let outcome = try ProbeProcess.run(["hold-as", home.database, "exclusive"])
        #expect(outcome.output.hasPrefix("error 423"), "\(outcome.output)")
        folder.close()
        #expect(try ProbeProcess.run(["hold-as", home.database, "exclusive"]).status == 0)
    }

    private func another() throws -> ManifestMembers {
        ManifestMembers(storageType: try StorageType("another"))
    }

    /// Another process could otherwise open the folder beside an engine that must be alone.
    @Test(arguments: [StorageSharing.exclusive, .oneWriterManyReaders, StorageSharing(rawValue: "of tomorrow")])
    func aSwitchTakesTheWriterLockForGood(sharing: StorageSharing) throws {
        for isWriting in [false, true] {
            let home = try TemporaryFolder()
            try home.makeDatabase()
            let folder = try open(home, .multiProcess)
            if isWriting { try folder.lockWriter() }
            var other: ProbeProcess?
            let retired = try folder.switchGeneration(
                members: try another(),
                sharing: sharing,
                build: { _ in },
                beforeCommit: { () throws(StorageError) in
                    // Waits for the gate, and finds the folder after the switch.
                    other = try? ProbeProcess(["hold-as", home.database, sharing.rawValue])
                }
            )
            let line = try #require(other).line()
            #expect(line.hasPrefix("error 423") && line.contains("process \(getpid())"), "\(line)")
            _ = try other?.end()
            if isWriting { folder.unlockWriter() }
            for _ in 0..<2 { try folder.withWriterLock { () throws(StorageError) in } }
            try retired.delete()
            let outcome = try ProbeProcess.run(["hold-as", home.database, sharing.rawValue])
            #expect(outcome.output.hasPrefix("error 423"), "\(outcome.output)")
            folder.close()
            #expect(try ProbeProcess.run(["hold-as", home.database, sharing.rawValue]).status == 0)
        }
    }

    @Test func aSwitchToWhatManyMayWriteGivesTheLockBack() throws {
        for isWriting in [false, true] {
            let home = try TemporaryFolder()
            try home.makeDatabase()
            let folder = try open(home, .exclusive)
            if isWriting { try folder.lockWriter() }
            try folder.switchGeneration(
                members: ManifestMembers(storageType: .lmdb),
                sharing: .multiProcess,
                build: { _ in }
            ).delete()
            if isWriting {
                // The transaction continues.
                let other = try open(home, .multiProcess)
                try failure(.inUse) { try other.lockWriter(timeout: .milliseconds(30)) }
                other.close()
                folder.unlockWriter()
            }
            let other = try ProbeProcess(["write-loop", home.database, "30"])
            #expect(try other.line() == "open readWrite")
            let outcome = try other.end()
            #expect(outcome.status == 0, "\(outcome)")
            for _ in 0..<2 { try folder.withWriterLock { () throws(StorageError) in } }
            // And back again.
            try folder.switchGeneration(members: try another(), sharing: .exclusive, build: { _ in }).delete()
            try failure(.inUse) { _ = try open(home, .exclusive) }
            folder.close()
        }
    }

    @Test func aFailedSwitchLeavesTheLockAsItWas() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let refusal = StorageError(.unexpected, "not now")
        let members = try another()
        func attempt(_ folder: DatabaseFolder, _ sharing: StorageSharing) throws {
            try failure(.unexpected) {
                _ = try folder.switchGeneration(
                    members: members,
                    sharing: sharing,
                    build: { _ in },
                    beforeCommit: { () throws(StorageError) in throw refusal }
                )
            }
            // At the switch itself: a folder prevents the new manifest from being put in place.
            let manifest = URL(fileURLWithPath: home.database + "/manifest.json")
            let aside = URL(fileURLWithPath: home.path + "/manifest.json")
            try FileManager.default.moveItem(at: manifest, to: aside)
            try FileManager.default.createDirectory(at: manifest, withIntermediateDirectories: false)
            let error = #expect(throws: StorageError.self) {
                try folder.switchGeneration(members: members, sharing: sharing, build: { _ in })
            }
            #expect(error?.code == .fileSystem, "\(error?.message ?? "")")
            try FileManager.default.removeItem(at: manifest)
            try FileManager.default.moveItem(at: aside, to: manifest)
            #expect(folder.storageType == .sqlite)
        }
        let many = try open(home, .multiProcess)
        try attempt(many, .exclusive)
        let other = try open(home, .multiProcess)
        try other.withWriterLock { () throws(StorageError) in }
        other.close()
        many.close()
        let alone = try open(home, .exclusive)
        try attempt(alone, .multiProcess)
        let outcome = try ProbeProcess.run(["hold-as", home.database, "exclusive"])
        #expect(outcome.output.hasPrefix("error 423"), "\(outcome.output)")
        alone.close()
    }

    /// A caller that forgot it would leave an engine without the lock that it needs.
    @Test func anotherTypeHasToSayHowItIsShared() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try open(home, .multiProcess)
        let members = try another()
        try failure(.badParameter) {
            _ = try folder.switchGeneration(members: members, build: { _ in })
        }
        #expect(folder.storageType == .sqlite)
        folder.close()
    }

    /// A kill releases the lock with the process.
    @Test func aDeadOwnerKeepsNobodyOut() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let other = try ProbeProcess(["hold-as", home.database, "exclusive"])
        _ = try other.line()
        kill(other.identifier, SIGKILL)
        _ = try other.end()
        try open(home, .exclusive).close()
    }

    /// Key slots and what newer versions have written belonged to the database that was replaced.
    @Test func aSwitchTakesTheMembersWhole() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var members = ManifestMembers(storageType: .sqlite)
        members.keySlots = [Array(#"{"slot":1}"#.utf8)]
        members.unknown = [Manifest.Member(name: Array(#""later""#.utf8), value: Array("[1]".utf8))]
        let folder = try DatabaseFolder.open(at: home.database)
        try folder.switchGeneration(members: members, seal: TestSeal(), build: { _ in }).delete()
        #expect(folder.manifest.members == members)
        try folder.switchGeneration(build: { _ in }).delete()
        #expect(folder.manifest.members == members, "what says nothing keeps the present ones")
        var next = ManifestMembers(storageType: .lmdb)
        next.unknown = [Manifest.Member(name: Array(#""other""#.utf8), value: Array("2".utf8))]
        try folder.switchGeneration(members: next, sharing: .multiProcess, build: { _ in }).delete()
        folder.close()
        let again = try DatabaseFolder.open(at: home.database)
        #expect(again.manifest.members == next)
        #expect(again.manifest.keySlots.isEmpty)
        again.close()
        let copy = home.path + "/copy.settee"
        try DatabaseFolder.create(at: copy, members: members, seal: TestSeal()) { _ in }
        let made = try DatabaseFolder.open(
            at: copy,
            choose: { (found) throws(StorageError) in try TestSeal().choose(found) }
        )
        #expect(made.manifest.members == members)
        made.close()
    }
}
