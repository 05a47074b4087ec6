import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeStorageFiles

@Suite("What a killed conversion leaves")
struct ConversionFileTests {
    private let home: TemporaryFolder
    private let note: ConversionNote

    init() throws {
        home = try TemporaryFolder()
        try home.makeDatabase()
        note = ConversionNote(changeCounter: 7, storageType: .lmdb, compression: "lz4")
    }

    private var path: String { home.database + "/.settee-conversion" }

    /// What the folder has that the manifest does not name.
    private func left() throws -> [String] {
        try home.names(in: home.database).filter { $0.hasPrefix(".settee") || $0.hasSuffix("-000002") }
    }

    /// Leaves what a kill would leave.
    private func leave(blobs: DatabaseFolder.BlobChange = .build) throws {
        let folder = try DatabaseFolder.open(at: home.database)
        let staged = try folder.prepareGeneration(blobs: blobs)
        try write("half", to: staged.dataDirectory + "/db")
        folder.note(note, of: staged, sealedBy: nil)
        staged.data.lock.release()
        staged.blobs?.lock.release()
        folder.close()
    }

    @Test func itStaysAndIsTakenOver() throws {
        try leave()
        let before = try left()
        #expect(before.contains(".settee-conversion"))
        for _ in 0..<2 { try DatabaseFolder.open(at: home.database).close() }
        #expect(try left() == before)
        let folder = try DatabaseFolder.open(at: home.database)
        defer { folder.close() }
        let earlier = try #require(folder.earlierConversion)
        #expect(earlier.note == note && earlier.hasContents && earlier.code == nil)
        folder.dropEarlierConversion { 7 }
        #expect(try left() == before, "of this state of the database")
        let staged = try #require(try folder.takeOver(earlier))
        #expect(try text(of: staged.dataDirectory + "/db") == "half")
        #expect(staged.blobDirectory?.hasSuffix("blobs-000002") == true)
        #expect(try folder.takeOver(earlier) == nil, "it is in use")
        staged.discard()
        #expect(try left() == [])
        #expect(folder.earlierConversion == nil)
    }

    @Test func itGoesWhenTheDatabaseHasMovedOn() throws {
        try leave()
        let folder = try DatabaseFolder.open(at: home.database)
        defer { folder.close() }
        folder.dropEarlierConversion { 8 }
        #expect(try left() == [])
    }

    @Test func aSwitchMakesItVoid() throws {
        try leave(blobs: .keep)
        let folder = try DatabaseFolder.open(at: home.database)
        let old = try folder.switchGeneration(build: { (data) throws(StorageError) in try write("3", to: data + "/db") }
        )
        #expect(folder.earlierConversion == nil)
        try old.delete()
        folder.close()
        try DatabaseFolder.open(at: home.database).close()
        #expect(try left() == [])
        #expect(try text(of: home.database + "/data-000003/db") == "3")
    }

    @Test("An abandoned compaction does not remove it") func anotherGeneration() throws {
        try leave()
        let before = try left()
        let folder = try DatabaseFolder.open(at: home.database)
        try folder.prepareGeneration().discard()
        folder.close()
        #expect(try left() == before)
    }

    @Test("If the file does not match this boot, this manifest and these folders, they are swept")
    func otherTexts() throws {
        try leave()
        let valid = try bytes(of: path)
        // Without the checksum, which `finished` makes.
        let body = String(decoding: try #require(Manifest.checkedPart(valid)), as: UTF8.self)
        func edited(_ old: String, _ new: String) throws -> [UInt8] {
            let changed = body.replacingOccurrences(of: old, with: new)
            try #require(changed != body, "\(old)")
            return Manifest.finished(Array(changed.utf8), sealedBy: nil)
        }
        let boot = try #require(Host.bootIdentity)
        var texts = [
            try edited(boot, "00000000-0000-4000-8000-000000000000"), try edited(#""manifest":""#, #""manifest":"0"#),
            try edited(#""data":2"#, #""data":"../x""#), try edited(#""data":2"#, #""data":1"#),
            try edited(#""data":2"#, #""data":18446744073709551615"#), try edited(#""blobs":2"#, #""blobs":"../x""#),
            try edited(#""blobs":2"#, #""blobs":1"#), try edited(#""inode":"#, #""inode":1"#),
            try edited(#""version":1"#, #""version":2"#), try edited(#""changeCounter":7"#, #""changeCounter":-7"#),
            try edited(#""storageType":"lmdb""#, #""storageType":"../lmdb""#),
            try edited(#""data":2"#, #""data":2,"data":2"#), [], [0x7B], Array(valid.dropLast()),
            [UInt8](repeating: 0x20, count: 20_000), try bytes(of: home.database + "/manifest.json"),
        ]
        var random = SeededGenerator(seed: 41)
        for _ in 0..<100 {
            var changed = valid
            changed[Int(random.next() % UInt64(changed.count))] ^= UInt8(1 << (random.next() % 8))
            texts.append(changed)
            texts.append((0..<random.next() % 300).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
        #expect(ConversionFile(Manifest.finished(Array(body.utf8), sealedBy: nil)) != nil, "unchanged it is one")
        for text in texts {
            if try left() == [] { try leave() }
            try put(text, at: path)
            try DatabaseFolder.open(at: home.database).close()
            #expect(try left() == [], "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("An unmarked folder is neither used nor removed") func unmarked() throws {
        try leave()
        try FileManager.default.removeItem(atPath: home.database + "/.settee-generation-data-000002")
        let folder = try DatabaseFolder.open(at: home.database)
        defer { folder.close() }
        #expect(folder.earlierConversion == nil)
        #expect(try left() == ["data-000002"])
    }

    @Test("Links, pipes and folders in place of the file", arguments: 0..<6) func strangers(_ kind: Int) throws {
        try leave()
        let victim = home.path + "/victim"
        try put(try bytes(of: path), at: victim)
        let before = try bytes(of: victim)
        try FileManager.default.removeItem(atPath: path)
        switch kind {
        case 0: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        case 1: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: home.path)
        case 2: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        case 3: #expect(mkfifo(path, 0o600) == 0)
        case 4: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default:
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, 1 << 30) == 0)
        }
        try DatabaseFolder.open(at: home.database).close()
        #expect(try left() == (kind == 4 ? [".settee-conversion"] : []))
        #expect(try bytes(of: victim) == before)
        // With a folder in its place nothing can be recorded, and a conversion starts over after a kill.
        try leave()
        try DatabaseFolder.open(at: home.database).close()
        #expect(try left().count == (kind == 4 ? 1 : 5))
    }
}
