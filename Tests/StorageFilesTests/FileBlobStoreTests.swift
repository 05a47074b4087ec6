import Crypto
import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@Suite("The file blob store")
struct FileBlobStoreTests {
    private let home: TemporaryFolder
    private let folder: DatabaseFolder
    private let store: FileBlobStore

    init() throws {
        home = try TemporaryFolder()
        try home.makeDatabase()
        folder = try DatabaseFolder.open(at: home.database)
        store = try folder.makeBlobStore()
    }

    private func read(_ name: String) throws -> [UInt8]? {
        guard let reader = try store.reader(name) else { return nil }
        return try reader.read(at: 0, count: Int(reader.length))
    }

    private func names() throws -> Set<String> {
        var names: Set<String> = []
        try store.names { name in
            names.insert(name)
            return true
        }
        return names
    }

    @Test(arguments: [0, 1, 1_000, 262_144, 262_145, 1_000_000])
    func keepsWhatItIsGiven(_ length: Int) throws {
        var generator = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let writer = try store.makeWriter()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...400_000, using: &generator))
            try append(Array(piece), to: writer)
            rest = rest.dropFirst(piece.count)
        }
        let content = try writer.finish()
        #expect(content.length == UInt64(length))
        #expect(content.sha1 == Array(Insecure.SHA1.hash(data: bytes)))
        #expect(content.sha256 == Array(SHA256.hash(data: bytes)))
        #expect(content.storageName == content.sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        #expect(try store.size(content.storageName) == nil, "nothing is visible before publish")
        #expect(try names().isEmpty)
        try writer.publish()
        #expect(try read(content.storageName) == bytes)
        #expect(try store.size(content.storageName) == UInt64(length))
        #expect(try names() == [content.storageName])
        #expect(try store.verify(content.storageName) == nil)
        let group = String(content.storageName.prefix(2))
        #expect(try home.names(in: store.directory) == [group])
        #expect(try home.names(in: store.directory + "/" + group) == [content.storageName])
    }

    @Test func readsRanges() throws {
        let content = try publish("0123456789", in: store)
        let reader = try #require(try store.reader(content.storageName))
        #expect(try reader.read(at: 3, count: 4) == Array("3456".utf8))
        #expect(try reader.read(at: 8, count: 100) == Array("89".utf8))
        #expect(try reader.read(at: 10, count: 1).isEmpty)
        #expect(try reader.read(at: .max, count: .max).isEmpty)
        #expect(try reader.read(at: 0, count: 0).isEmpty)
        #expect(try reader.read(at: 0, count: -1).isEmpty)
        // It stays readable after its name is removed.
        #expect(try store.moveToTrash(content.storageName, epoch: 1))
        #expect(try store.emptyTrash(before: 2).blobs == 1)
        #expect(try reader.read(at: 0, count: 3) == Array("012".utf8))
    }

    @Test func theSameContentIsOneBlob() throws {
        let first = try publish("twin", in: store)
        let second = try publish("twin", in: store)
        #expect(first == second)
        #expect(try names() == [first.storageName])
        #expect(try home.names(in: store.directory).count == 1, "no staging is left")
    }

    /// Of two files with the same length the existing one was kept, damaged or not.
    @Test func theSameContentMendsADamagedBlob() throws {
        let content = try publish("precious", in: store)
        let file = store.directory + "/" + content.storageName.prefix(2) + "/" + content.storageName
        for damage in ["pracious", "prec", ""] {
            try FileManager.default.removeItem(atPath: file)
            try write(damage, to: file)
            try #require(store.verify(content.storageName) != nil)
            try publish("precious", in: store)
            #expect(try read(content.storageName) == Array("precious".utf8))
        }
        // Damaged after the writer has seen that it was intact.
        let writer = try store.makeWriter()
        try append(Array("precious".utf8), to: writer)
        _ = try writer.finish()
        try FileManager.default.removeItem(atPath: file)
        try write("pracious", to: file)
        try writer.publish()
        #expect(try read(content.storageName) == Array("precious".utf8))
        #expect(try home.names(in: store.directory).count == 1, "no staging is left")
    }

    @Test func aSwitchTakesTheMendedBlob() throws {
        let content = try publish("precious", in: store)
        let file = store.directory + "/" + content.storageName.prefix(2) + "/" + content.storageName
        try FileManager.default.removeItem(atPath: file)
        try write("pracious", to: file)
        try folder.switchGeneration(blobs: .link) { (data) throws(StorageError) in
            try write("generation 2", to: data + "/db")
        } beforeCommit: { () throws(StorageError) in
            try publish("precious", in: store)
        }.delete()
        #expect(try folder.makeBlobStore().verify(content.storageName) == nil)
        #expect(try home.names(in: folder.blobDirectory) == [String(content.storageName.prefix(2))])
    }

    @Test func aWriterThatIsGivenUpLeavesNothing() throws {
        let cancelled = try store.makeWriter()
        try append([1, 2, 3], to: cancelled)
        cancelled.cancel()
        cancelled.cancel()
        try failure(.attachmentStore) { _ = try cancelled.finish() }
        try failure(.attachmentStore) { try cancelled.publish() }
        let finished = try store.makeWriter()
        _ = try finished.finish()
        try failure(.attachmentStore) { try append([1], to: finished) }
        finished.cancel()
        _ = try store.makeWriter()
        #expect(try home.names(in: store.directory).isEmpty)
        let published = try store.makeWriter()
        let content = try published.finish()
        try published.publish()
        published.cancel()
        try failure(.attachmentStore) { try published.publish() }
        #expect(try store.size(content.storageName) == 0)
    }

    @Test func trashAndBack() throws {
        let content = try publish("precious", in: store)
        let name = content.storageName
        #expect(try store.restore(name) == false)
        #expect(try store.moveToTrash(name, epoch: 7))
        #expect(try store.moveToTrash(name, epoch: 8) == false)
        #expect(try read(name) == nil)
        #expect(try store.size(name) == nil)
        #expect(try names().isEmpty)
        #expect(try store.trash().map { "\($0.epoch) \($0.name)" } == ["7 \(name)"])
        let reader = try #require(try store.trashedReader(name))
        #expect(try reader.read(at: 0, count: 8) == Array("precious".utf8))
        #expect(try store.emptyTrash(before: 7) == (0, 0))
        #expect(try store.restore(name))
        #expect(try read(name) == Array("precious".utf8))
        #expect(try store.moveToTrash(name, epoch: .max))
        // The same content is written again while the old file is in the trash.
        try publish("precious", in: store)
        #expect(try store.emptyTrash(before: .max) == (0, 0))
        #expect(try store.restore(name))
        #expect(try store.moveToTrash(name, epoch: 9))
        #expect(try store.emptyTrash(before: 10) == (1, 8))
        #expect(try store.trash().isEmpty)
        #expect(try names().isEmpty)
    }

    @Test func foreignNamesAreNoBlobs() throws {
        let outside = "../data-000001/db"
        for name in ["", outside, "ab", String(repeating: "A", count: 64), String(repeating: "é", count: 32)] {
            #expect(try store.reader(name) == nil)
            #expect(try store.size(name) == nil)
            #expect(try store.moveToTrash(name, epoch: 1) == false)
            #expect(try store.restore(name) == false)
            #expect(try store.verify(name) != nil)
        }
        try publish("x", in: store)
        _ = try store.moveToTrash(try #require(try names().first), epoch: 3)
        try write("mine", to: store.directory + "/trash/notes")
        try write("mine", to: store.directory + "/trash/99999999999999999999-" + String(repeating: "a", count: 64))
        try write("mine", to: store.directory + "/readme")
        #expect(try store.trash().count == 1)
        #expect(try store.emptyTrash(before: .max).blobs == 1)
        #expect(try home.names(in: store.directory + "/trash").count == 2)
    }

    @Test func findsDamageAndMendsAWrongLength() throws {
        let content = try publish("content that matters", in: store)
        let path = store.directory + "/" + content.storageName.prefix(2) + "/" + content.storageName
        try write("content that m4tters", to: path)
        #expect(try store.verify(content.storageName)?.contains("SHA-256") == true)
        try write("content", to: path)
        #expect(try store.verify(content.storageName) != nil)
        try publish("content that matters", in: store)
        #expect(try store.verify(content.storageName) == nil)
        #expect(try store.verify(String(repeating: "0", count: 64)) == "the file is missing")
    }

    @Test func aReadOnlyStoreRefusesWriting() throws {
        let content = try publish("x", in: store)
        let reader = try FileBlobStore(directory: store.directory, readOnly: true)
        try failure(.readOnly) { _ = try reader.makeWriter() }
        try failure(.readOnly) { _ = try reader.moveToTrash(content.storageName, epoch: 1) }
        try failure(.readOnly) { _ = try reader.restore(content.storageName) }
        try failure(.readOnly) { _ = try reader.emptyTrash(before: 1) }
        #expect(try reader.verify(content.storageName) == nil)
        try failure(.attachmentStore) { _ = try FileBlobStore(directory: home.path + "/none", readOnly: true) }
    }

    @Test func whatAWriterIsMakingIsNotSwept() throws {
        let writer = try store.makeWriter()
        try append(Array("slow".utf8), to: writer)
        #expect(try ProbeProcess.run(["open", home.database]).status == 0)
        let content = try writer.finish()
        try writer.publish()
        #expect(try store.verify(content.storageName) == nil)
    }

    /// Memory use stays flat: 1 GiB in the long form, otherwise 64 MiB, with a limit far below that.
    @Test func largeBlobsNeedLittleMemory() throws {
        let pieces = isStress ? 1_024 : 64
        let piece = [UInt8](repeating: 0x5A, count: 1 << 20)
        let before = try peakMemory()
        let writer = try store.makeWriter()
        for _ in 0..<pieces { try append(piece, to: writer) }
        let content = try writer.finish()
        try writer.publish()
        #expect(content.length == UInt64(pieces) << 20)
        #expect(try store.verify(content.storageName) == nil)
        #expect(try peakMemory() - before < 24 << 20)
    }

    /// The largest resident size so far in bytes; 0 if the system does not report it.
    private func peakMemory() throws -> Int {
        guard let status = try? text(of: "/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) * 1_024
    }
}
