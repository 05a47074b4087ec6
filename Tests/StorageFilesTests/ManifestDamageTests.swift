import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@Suite("Damaged and foreign manifests in a folder")
struct ManifestDamageTests {
    private static let names = ["manifest.json", "manifest-copy.json"]

    /// Every byte flipped, every length, missing, replaced by a folder: the other copy is used and repairs it.
    @Test(arguments: names)
    func theOtherCopyServes(_ name: String) throws {
        let home = try TemporaryFolder()
        let path = try home.makeDatabase() + "/" + name
        let good = try bytes(of: path)
        var damages: [[UInt8]?] = [nil]
        for index in stride(from: 0, to: good.count, by: isStress ? 1 : 7) {
            var flipped = good
            flipped[index] ^= 0x10
            damages.append(flipped)
            damages.append(Array(good.prefix(index)))
        }
        for damage in damages {
            try FileManager.default.removeItem(atPath: path)
            if let damage { try StorageFilesTests.put(damage, at: path) }
            let reader = try DatabaseFolder.open(at: home.database, readOnly: true)
            #expect(reader.manifest.serial == 1)
            let told = damage == nil ? 0 : 1
            #expect(try reader.manifestProblems().count == told)
            reader.close()
            #expect(exists(path) == (damage != nil), "a reader mends nothing")
            let folder = try DatabaseFolder.open(at: home.database)
            #expect(folder.manifest.serial == 1)
            #expect(try folder.manifestProblems().count == told, "it is mended, and told")
            folder.close()
            #expect(try bytes(of: path) == good)
        }
        #expect(try text(of: home.database + "/data-000001/db") == "generation 1")
    }

    @Test func bothDamagedIsAClearError() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for damage in ["", "garbage", String(repeating: "\0", count: 284)] {
            for name in Self.names { try write(damage, to: home.database + "/" + name) }
            for readOnly in [false, true] {
                let error = try failure(.corrupt) { _ = try DatabaseFolder.open(at: home.database, readOnly: readOnly) }
                #expect(error.message.contains("Restore"))
            }
        }
        #expect(try text(of: home.database + "/data-000001/db") == "generation 1")
    }

    private func put(_ manifest: Manifest, in home: TemporaryFolder, _ names: [String] = names) throws {
        for name in names {
            try StorageFilesTests.put(manifest.encoded(), at: home.database + "/" + name)
        }
    }

    private func manifest(_ home: TemporaryFolder) throws -> Manifest {
        try #require(ManifestCopy(try bytes(of: home.database + "/manifest.json"))?.manifest)
    }

    @Test func aNewerFormatIsRefused() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var newer = try manifest(home)
        newer.serial = 2
        newer.formatVersion = 9
        newer.minReader = 9
        newer.minWriter = 9
        // Even if an older copy could still be read: that one is out of date.
        try put(newer, in: home, [Self.names[0]])
        for readOnly in [false, true] {
            try failure(.unsupportedFormat) { _ = try DatabaseFolder.open(at: home.database, readOnly: readOnly) }
        }
        try failure(.unsupportedFormat) { try DatabaseFolder.destroy(at: home.database) }
    }

    @Test func aNewerFormatMayAllowReading() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var newer = try manifest(home)
        newer.formatVersion = 3
        newer.minWriter = 3
        try put(newer, in: home)
        let error = try failure(.unsupportedFormat) { _ = try DatabaseFolder.open(at: home.database) }
        #expect(error.message.contains("readOnly"))
        #expect(try DatabaseFolder.open(at: home.database, readOnly: true).manifest == newer)
    }

    /// A program that may write keeps the members that it does not know.
    @Test func unknownMembersSurviveASwitch() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var newer = try manifest(home)
        newer.formatVersion = 3
        newer.unknown = [Manifest.Member(name: Array(#""later""#.utf8), value: Array(#"{"a":[1e5,"\u0041"]}"#.utf8))]
        try put(newer, in: home)
        let folder = try DatabaseFolder.open(at: home.database)
        try folder.switchGeneration(build: { _ in }).delete()
        let after = try manifest(home)
        #expect(after.unknown == newer.unknown)
        #expect(after.formatVersion == 3)
        #expect(after.serial == newer.serial + 1)
    }

    @Test func theHighestSerialWhoseGenerationExistsWins() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var ghost = try manifest(home)
        ghost.serial = 5
        ghost.dataGeneration = 5
        try put(ghost, in: home, [Self.names[1]])
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(folder.manifest.serial == 1)
        folder.close()
        #expect(try bytes(of: home.database + "/manifest-copy.json") == bytes(of: home.database + "/manifest.json"))
        try put(ghost, in: home)
        try failure(.corrupt) { _ = try DatabaseFolder.open(at: home.database) }
    }

    @Test func impossibleNumbersDoNotTrap() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        var last = try manifest(home)
        last.serial = .max
        try put(last, in: home)
        let folder = try DatabaseFolder.open(at: home.database)
        try failure(.corrupt) { _ = try folder.switchGeneration(build: { _ in }) }
        folder.close()
        last.serial = 1
        last.dataGeneration = .max
        try put(last, in: home)
        let name = Manifest.generationName(.data, .max)
        try FileManager.default.moveItem(
            atPath: home.database + "/data-000001",
            toPath: home.database + "/" + name
        )
        let huge = try DatabaseFolder.open(at: home.database)
        try failure(.corrupt) { _ = try huge.switchGeneration(build: { _ in }) }
        #expect(exists(home.database + "/" + name))
    }
}
