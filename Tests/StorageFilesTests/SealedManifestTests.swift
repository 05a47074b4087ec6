import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

/// A manifest with key slots has a MAC. Only a caller with the key can check it, so that caller chooses the copy.
@Suite("Manifests of encrypted databases")
struct SealedManifestTests {
    private static let names = ["manifest.json", "manifest-copy.json"]

    private func members(slot: String = #"{"a":1}"#) -> ManifestMembers {
        var members = ManifestMembers(storageType: .sqlcipher)
        members.keySlots = [Array(slot.utf8)]
        members.encryption = Array(#"{"salt":"AAAA"}"#.utf8)
        members.formatVersion = Manifest.encryptedVersion
        members.minReader = Manifest.encryptedVersion
        members.minWriter = Manifest.encryptedVersion
        return members
    }

    private func make(_ home: TemporaryFolder, _ members: ManifestMembers, _ seal: TestSeal? = TestSeal()) throws {
        try DatabaseFolder.create(at: home.database, members: members, seal: seal) { (data) throws(StorageError) in
            try write("generation 1", to: data + "/db")
        }
    }

    private func open(
        _ home: TemporaryFolder,
        _ seal: TestSeal = TestSeal(),
        readOnly: Bool = false
    ) throws -> DatabaseFolder {
        try DatabaseFolder.open(
            at: home.database,
            readOnly: readOnly,
            choose: { (found) throws(StorageError) in try seal.choose(found) }
        )
    }

    private func copy(_ home: TemporaryFolder, _ name: String) throws -> ManifestCopy {
        try #require(ManifestCopy(try bytes(of: home.database + "/" + name)))
    }

    /// Every file of the database with its content, time and inode.
    private func state(_ home: TemporaryFolder) throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: home.database).sorted()
        return try all.map { name in
            let path = home.database + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let content = facts[.type] as? FileAttributeType == .typeDirectory ? [] : try bytes(of: path)
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(name) \(changed) \(facts[.systemFileNumber] ?? "") \(content)"
        }
    }

    @Test func theCodeCoversEveryByteBeforeIt() throws {
        let home = try TemporaryFolder()
        try make(home, members())
        let text = try bytes(of: home.database + "/manifest.json")
        #expect(try bytes(of: home.database + "/manifest-copy.json") == text)
        let copy = try #require(ManifestCopy(text))
        #expect(copy.code.map(Array.init) == TestSeal().code(of: copy.sealedText))
        #expect(text.starts(with: copy.sealedText))
        #expect(
            String(decoding: text.dropFirst(copy.sealedText.count), as: UTF8.self).hasPrefix(#","mac":""#)
        )
        #expect(copy.manifest.isEncrypted)
        #expect(copy.manifest.members.encryption == members().encryption)
        #expect(copy.manifest.minReader == 2)
    }

    /// Members of a later version may hold anything.
    @Test func aMemberThatLooksLikeACodeIsNone() throws {
        let digits = String(repeating: "a", count: 64)
        for value in [#"{"x":1,"mac":"\#(digits)"}"#, #"",\"mac\":\"\#(digits)""#] {
            var manifest = Manifest(
                serial: 1,
                storageType: .sqlite,
                dataGeneration: 1,
                blobGeneration: 1,
                databaseUUID: "aa"
            )
            manifest.unknown = [Manifest.Member(name: Array(#""later""#.utf8), value: Array(value.utf8))]
            let plain = try #require(ManifestCopy(manifest.encoded()))
            #expect(plain.code == nil)
            #expect(plain.manifest == manifest)
            let sealed = try #require(ManifestCopy(manifest.encoded(sealedBy: TestSeal())))
            #expect(sealed.code.map(Array.init) == TestSeal().code(of: sealed.sealedText))
            #expect(sealed.manifest == manifest)
        }
    }

    @Test func whatHasKeySlotsIsNotWrittenWithoutACode() throws {
        let home = try TemporaryFolder()
        try failure(.unexpected) { try make(home, members(), nil) }
        try failure(.unexpected) { try make(home, ManifestMembers(storageType: .sqlite)) }
        #expect(try home.names() == [])
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        try failure(.unexpected) {
            _ = try folder.switchGeneration(members: members(), sharing: .multiProcess, build: { _ in })
        }
        try failure(.unexpected) { try folder.replaceMembers(members(), seal: nil) }
        #expect(folder.manifest.serial == 1)
        #expect(!exists(home.database + "/data-000002"))
    }

    @Test(arguments: [false, true], names)
    func oneEncryptedCopyIsEnoughToAskForTheKey(readOnly: Bool, genuine: String) throws {
        let home = try TemporaryFolder()
        try make(home, members())
        var forged = try copy(home, genuine).manifest
        forged.serial += 5
        forged.keySlots = []
        forged.encryption = nil
        for name in Self.names where name != genuine { try put(forged.encoded(), at: home.database + "/" + name) }
        let before = try state(home)
        try failure(.unauthorized) { _ = try DatabaseFolder.open(at: home.database, readOnly: readOnly) }
        #expect(try state(home) == before)
        let folder = try open(home, readOnly: readOnly)
        #expect(folder.manifest.isEncrypted)
        // A writer replaces the other copy by the genuine one.
        #expect(try copy(home, Self.names[0]) == copy(home, Self.names[1]) || readOnly)
    }

    @Test func aSwitchKeepsTheKeyAndMakesACodeOfItsOwn() throws {
        let home = try TemporaryFolder()
        try make(home, members())
        let folder = try open(home)
        try folder.switchGeneration(build: { _ in }).delete()
        let after = try copy(home, Self.names[0])
        #expect(after.manifest.serial == 2)
        #expect(after.code.map(Array.init) == TestSeal().code(of: after.sealedText))
        folder.close()
        try open(home).close()
        try failure(.unauthorized) { try open(home, TestSeal(key: 2)).close() }
    }

    @Test func otherSlotsNeedNoOtherGeneration() throws {
        let home = try TemporaryFolder()
        try make(home, members())
        let folder = try open(home)
        var next = folder.manifest.members
        next.keySlots = [Array(#"{"b":2}"#.utf8)]
        let second = try open(home)
        try failure(.inUse) { try folder.replaceMembers(next, seal: TestSeal(key: 2), timeout: .milliseconds(10)) }
        #expect(folder.manifest.serial == 1)
        second.close()
        try folder.replaceMembers(next, seal: TestSeal(key: 2))
        #expect(folder.manifest.serial == 2)
        #expect(try copy(home, Self.names[0]) == copy(home, Self.names[1]))
        #expect(try copy(home, Self.names[0]).manifest.keySlots == next.keySlots)
        // The next one is made with the new key.
        try folder.switchGeneration(build: { _ in }).delete()
        folder.close()
        try failure(.unauthorized) { try open(home).close() }
        try open(home, TestSeal(key: 2)).close()
    }

    /// While the copies differ, the old key and the new one each open an intact database, so nothing may be written
    /// until both agree.
    @Test func aSwitchToOtherSlotsNeedsBothCopies() throws {
        let home = try TemporaryFolder()
        try make(home, members())
        let folder = try open(home)
        let second = home.database + "/manifest-copy.json"
        let old = try bytes(of: second)
        try FileManager.default.removeItem(atPath: second)
        try FileManager.default.createDirectory(atPath: second + "/full", withIntermediateDirectories: true)
        var next = folder.manifest.members
        next.keySlots = [Array(#"{"b":2}"#.utf8)]
        try failure(.storage) {
            _ = try folder.switchGeneration(
                members: next,
                seal: TestSeal(key: 2),
                build: { (data) throws(StorageError) in try write("generation 2", to: data + "/db") }
            )
        }
        try failure(.storage) { try folder.lockWriter() }
        folder.close()
        try FileManager.default.removeItem(atPath: second)
        try put(old, at: second)
        let reader = try open(home, readOnly: true)
        #expect(try text(of: reader.dataDirectory + "/db") == "generation 1")
        reader.close()
        let changed = try open(home, TestSeal(key: 2), readOnly: true)
        #expect(try text(of: changed.dataDirectory + "/db") == "generation 2")
        changed.close()
        // The first that may write decides.
        let writer = try open(home, TestSeal(key: 2))
        #expect(try text(of: writer.dataDirectory + "/db") == "generation 2")
        writer.close()
        try failure(.unauthorized) { try open(home).close() }
        #expect(!exists(home.database + "/data-000001"))
    }

    @Test func whatIsToBeReplacedIsNotMendedBefore() throws {
        let home = try TemporaryFolder()
        try make(home, members())
        var forged = try copy(home, Self.names[0]).manifest
        forged.serial += 5
        try put(forged.encoded(sealedBy: TestSeal(key: 9)), at: home.database + "/" + Self.names[0])
        try FileManager.default.createDirectory(
            atPath: home.database + "/data-000009",
            withIntermediateDirectories: false
        )
        let names = try home.names(in: home.database)
        let folder = try DatabaseFolder.open(
            at: home.database,
            isToBeReplaced: true,
            choose: { DatabaseFolder.Choice($0.copies[0]) }
        )
        #expect(folder.manifest.serial == 6)
        #expect(try home.names(in: home.database) == names)
        #expect(try copy(home, Self.names[1]).manifest.serial == 1)
        try folder.switchGeneration(
            members: ManifestMembers(storageType: .sqlite),
            sharing: .multiProcess,
            build: { (data) throws(StorageError) in try write("another", to: data + "/db") }
        ).delete()
        folder.close()
        let replaced = try DatabaseFolder.open(at: home.database)
        #expect(replaced.manifest.serial == 7)
        #expect(try text(of: replaced.dataDirectory + "/db") == "another")
    }
}
