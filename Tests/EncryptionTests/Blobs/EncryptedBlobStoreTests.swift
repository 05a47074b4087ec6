import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEncryption

@Suite struct EncryptedBlobStoreTests {
    private static let row = BlobCase(
        name: "encrypted files",
        damage: { _, directory, name in
            let url = URL(filePath: "\(directory)/\(name.prefix(2))/\(name)")
            var bytes = try Data(contentsOf: url)
            bytes[50_000] ^= 1
            try FileManager.default.removeItem(at: url)
            try bytes.write(to: url)
        },
        makeStore: { directory in
            try FileBlobStore(directory: directory, readOnly: false, codec: BlobFixture.codec())
        }
    )

    @Test(arguments: BlobConformance.tests)
    func keepsItsPromises(test: BlobConformanceTest) throws { try test.run(on: Self.row) }

    /// Also while it is being written, and where its writer was killed.
    @Test func nothingOfAContentIsInTheFolder() throws {
        let bed = try BlobFixture()
        let marker = "a text that nobody may find, 0123456789"
        let content = Array(String(repeating: marker, count: 10_000).utf8)
        let writer = try bed.store.makeWriter()
        func expectNothing(_ when: String, of made: BlobContent? = nil) throws {
            var secrets: [(String, [UInt8])] = [("the marker", Array(marker.utf8))]
            for (name, digest) in [("SHA-1", made?.sha1), ("SHA-256", made?.sha256)] {
                guard let digest else { continue }
                let hexadecimal = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                secrets += [
                    (name, digest), (name + " in hexadecimal", Array(hexadecimal.utf8)),
                    (name + " in Base64", Array(Data(digest).base64EncodedString().utf8)),
                ]
            }
            let files = try bed.files()
            #expect(!files.isEmpty)
            for (path, bytes) in files {
                for (what, secret) in secrets {
                    #expect(Data(bytes).range(of: Data(secret)) == nil, "\(when): \(what) is in '\(path)'")
                    #expect(!path.contains(String(decoding: secret, as: UTF8.self)), "\(when): \(what) names '\(path)'")
                }
            }
        }
        for start in stride(from: 0, to: content.count, by: 1_000) {
            try writer.append(Array(content[start..<start + 1_000]).span.bytes)
        }
        #expect(try bed.files().values.contains { $0.count > 200_000 }, "it is on its way")
        try expectNothing("while it is written")
        let made = try writer.finish()
        try expectNothing("when it is finished", of: made)
        try writer.publish()
        try expectNothing("when it is published", of: made)
        #expect(try bed.store.moveToTrash(made.storageName, epoch: 1))
        try expectNothing("in the trash", of: made)
        #expect(try bed.store.filePath(made.storageName) == nil, "and nobody is sent to the file")
    }

    @Test func equalContentsHaveOneFile() throws {
        let bed = try BlobFixture()
        let content = noise(100_000)
        let first = try bed.put(content)
        let file = try bed.file(first.storageName)
        #expect(try bed.put(content) == first)
        #expect(try bed.files().count == 1)
        #expect(try bed.file(first.storageName) == file, "the first one stays")
        #expect(try bed.put(noise(100_000, seed: 2)).storageName != first.storageName)
        #expect(try bed.files().count == 2)
    }

    @Test(arguments: 1...6) func rangesAreReadAsFromAnArray(seed: UInt64) throws {
        let bed = try BlobFixture()
        var generator = SeededGenerator(seed: seed)
        for size in [0, 1, 65_535, 65_536, 65_537, Int.random(in: 0...700_000, using: &generator)] {
            let content = noise(size, seed: seed)
            let name = try bed.put(content).storageName
            let reader = try #require(try bed.store.reader(name))
            #expect(reader.length == UInt64(size))
            for round in 0..<(isStress ? 2_000 : 60) {
                let near =
                    Int.random(in: 0...11, using: &generator) * 65_536 + Int.random(in: -2...2, using: &generator)
                let offset = max(
                    0,
                    Bool.random(using: &generator) ? near : Int.random(in: 0...size + 5, using: &generator)
                )
                let count = Int.random(in: -1...(Bool.random(using: &generator) ? 10 : 400_000), using: &generator)
                let expected = content.dropFirst(offset).prefix(max(0, count))
                let found = try reader.read(at: UInt64(offset), count: count)
                #expect(found == Array(expected), "seed \(seed), size \(size), round \(round): \(count) at \(offset)")
            }
            #expect(try reader.read(at: .max, count: .max).isEmpty)
            #expect(try reader.read(at: 0, count: .max) == content)
        }
    }
}
