import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// Whatever is done to the files, none of it is taken for content.
@Suite struct EncryptedBlobDamageTests {
    private static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]
    private static let sealedChunk = 65_552

    /// Places all over a file: every one in short files and in the long form, otherwise those around the boundaries of
    /// its parts.
    private func places(in file: [UInt8]) -> [Int] {
        guard file.count > 1_000, !isStress else { return Array(file.indices) }
        var places = Set(0..<40)
        for border in stride(from: 24, to: file.count, by: Self.sealedChunk) {
            places.formUnion([-17, -16, -8, -1, 0, 1, 15, 16].map { border + $0 })
        }
        places.formUnion(stride(from: file.count - 100, to: file.count, by: 3))
        var generator = SeededGenerator(seed: UInt64(file.count))
        places.formUnion((0..<20).map { _ in Int.random(in: file.indices, using: &generator) })
        return places.filter { file.indices.contains($0) }.sorted()
    }

    @Test(arguments: sizes) func everyByteCounts(size: Int) throws {
        let bed = try BlobFixture()
        let name = try bed.put(noise(size)).storageName
        let file = try bed.file(name)
        var changed = file
        for place in places(in: file) {
            changed[place] ^= UInt8(1 << (place % 8))
            try bed.replace(name, with: changed)
            bed.expectDamage(name, "byte \(place) of \(file.count)")
            changed[place] = file[place]
        }
        try bed.replace(name, with: file)
        #expect(try bed.store.verify(name) == nil)
    }

    @Test(arguments: [0, 1, 300, 65_536, 65_537, 131_072]) func nothingIsCutOffOrAdded(size: Int) throws {
        let bed = try BlobFixture()
        let name = try bed.put(noise(size)).storageName
        let file = try bed.file(name)
        for length in places(in: file) {
            try bed.replace(name, with: Array(file[..<length]))
            bed.expectDamage(name, "\(length) of \(file.count) bytes")
        }
        for count in [1, 16, 17, 76, 100, Self.sealedChunk, Self.sealedChunk + 1] {
            for zero in [true, false] {
                try bed.replace(name, with: file + (zero ? [UInt8](repeating: 0, count: count) : noise(count)))
                bed.expectDamage(name, "\(count) bytes more")
            }
        }
        try bed.replace(name, with: file)
        #expect(try bed.store.verify(name) == nil)
    }

    @Test func chunksStayInTheirPlaces() throws {
        let bed = try BlobFixture()
        let (content, other) = (noise(200_000), noise(200_000, seed: 2))
        let name = try bed.put(content).storageName
        let file = try bed.file(name)
        let foreign = try bed.file(bed.put(other).storageName)
        func chunk(_ number: Int) -> Range<Int> {
            24 + number * Self.sealedChunk..<24 + (number + 1) * Self.sealedChunk
        }
        var forms: [(String, [UInt8])] = []
        var form = file
        form.replaceSubrange(chunk(0), with: file[chunk(1)])
        form.replaceSubrange(chunk(1), with: file[chunk(0)])
        forms.append(("two chunks swapped", form))
        form = file
        form.replaceSubrange(chunk(1), with: file[chunk(0)])
        forms.append(("a chunk twice", form))
        form = file
        form.removeSubrange(chunk(1))
        forms.append(("a chunk left out", form))
        form = file
        form.insert(contentsOf: file[chunk(1)], at: chunk(1).lowerBound)
        forms.append(("a chunk more", form))
        form = file
        form.replaceSubrange(chunk(1), with: foreign[chunk(1)])
        forms.append(("a chunk of another file", form))
        form = file
        form.replaceSubrange(file.count - 76..<file.count, with: foreign.suffix(76))
        forms.append(("the end of another file", form))
        form = file
        form.replaceSubrange(0..<24, with: foreign.prefix(24))
        forms.append(("the beginning of another file", form))
        // The end of a file of three whole chunks less the last one.
        form = Array(file[..<chunk(2).upperBound]) + file.suffix(76)
        forms.append(("the last chunk left out", form))
        forms.append(("another file", foreign))
        forms.append(("the content itself", content))
        for (what, bytes) in forms {
            try bed.replace(name, with: bytes)
            bed.expectDamage(name, what)
        }
    }

    @Test(arguments: [0, 1, 1_000, 65_537]) func filesThatChangedPlacesAreFound(size: Int) throws {
        let bed = try BlobFixture()
        let first = try bed.put(noise(size)).storageName
        // There is only one file for the empty content.
        let second = try bed.put(noise(max(1, size), seed: 2)).storageName
        let (one, two) = (try bed.file(first), try bed.file(second))
        try bed.replace(first, with: two)
        try bed.replace(second, with: one)
        for name in [first, second] {
            bed.expectDamage(name, "a file in the place of another")
            #expect(throws: StorageError.self, "before a byte of it is served") { try bed.store.reader(name) }
        }
        let free = String(repeating: "7", count: 64)
        try bed.replace(free, with: one)
        bed.expectDamage(free, "a file under another name")
    }

    /// Damage of one chunk is reported when that is read, and does not affect the others.
    @Test func theOtherChunksAreReadable() throws {
        let bed = try BlobFixture()
        let content = noise(400_000)
        let name = try bed.put(content).storageName
        var file = try bed.file(name)
        file[24 + Self.sealedChunk + 5] ^= 1
        try bed.replace(name, with: file)
        let reader = try #require(try bed.store.reader(name))
        for range in [0..<65_536, 131_072..<400_000, 65_000..<65_536, 131_072..<131_073] {
            #expect(try reader.read(at: UInt64(range.lowerBound), count: range.count) == Array(content[range]))
        }
        for range in [65_536..<65_537, 131_071..<131_072, 65_535..<65_537, 100_000..<200_000, 0..<400_000] {
            let error = #expect(throws: StorageError.self) {
                _ = try reader.read(at: UInt64(range.lowerBound), count: range.count)
            }
            #expect(error?.code == .corrupt)
        }
        #expect(try reader.read(at: 0, count: 10) == Array(content[..<10]), "and the reader goes on")
    }

    @Test(arguments: 1...4) func randomBytesAreNoFile(seed: UInt64) throws {
        let bed = try BlobFixture()
        let name = try bed.put(noise(10)).storageName
        let header = try bed.file(name).prefix(24)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<(isStress ? 4_000 : 150) {
            var bytes = noise(
                Int.random(in: 0...(round % 10 == 0 ? 140_000 : 400), using: &generator),
                seed: .random(in: 0...(.max), using: &generator)
            )
            switch round % 3 {
            case 0: bytes.replaceSubrange(0..<min(8, bytes.count), with: BlobLayout.magic)
            case 1: bytes.replaceSubrange(0..<min(24, bytes.count), with: header)
            default: break
            }
            try bed.replace(name, with: bytes)
            bed.expectDamage(name, "seed \(seed), round \(round)")
            do throws(StorageError) { _ = try bed.store.size(name) } catch { #expect(error.code == .corrupt) }
        }
    }

    @Test func anotherKeyReadsNothing() throws {
        let bed = try BlobFixture()
        let made = try bed.put(noise(1_000))
        let other = try FileBlobStore(directory: bed.directory, readOnly: true, codec: BlobFixture.codec(1))
        #expect(other.name(ofSHA256: made.sha256) != made.storageName)
        #expect(try other.reader(other.name(ofSHA256: made.sha256)) == nil)
        let error = #expect(throws: StorageError.self) { _ = try other.reader(made.storageName) }
        #expect(error?.code == .corrupt)
        #expect(try other.verify(made.storageName) != nil)
    }

    /// A damaged file does not prevent writing its content again, discarding it or listing it.
    @Test(arguments: [[], noise(50), noise(116), noise(5_000)]) func whatIsDamagedIsMended(damage: [UInt8]) throws {
        let bed = try BlobFixture()
        let content = noise(5_000, seed: 3)
        let name = try bed.put(content).storageName
        try bed.replace(name, with: damage)
        #expect(try bed.put(content).storageName == name)
        #expect(try bed.store.verify(name) == nil)
        #expect(try bed.read(name) == content)
        try bed.replace(name, with: damage)
        #expect(try bed.store.moveToTrash(name, epoch: 3))
        #expect(try bed.store.trash().map(\.name) == [name])
        #expect(try bed.store.restore(name))
        #expect(try bed.store.moveToTrash(name, epoch: 4))
        #expect(try bed.store.emptyTrash(before: 5).blobs == 1)
        #expect(try bed.files().isEmpty)
    }
}
