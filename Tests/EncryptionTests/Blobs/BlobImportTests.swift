import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// Contents are imported from a store into another with other keys, or with none.
@Suite struct BlobImportTests {
    /// The keys of both; nil: none.
    private static let ways: [(from: UInt8?, to: UInt8?)] = [(nil, 0), (0, nil), (0, 9)]
    private static let sizes = [0, 1, 65_536, 65_537, 1_000_000]

    private func codec(_ key: UInt8?) throws -> any BlobCodec {
        guard let key else { return PlainBlobCodec() }
        return try BlobFixture.codec(key)
    }

    @Test(arguments: ways) func contentsAreTheSame(from: UInt8?, to: UInt8?) throws {
        let (source, target) = (try BlobFixture(codec(from)), try BlobFixture(codec(to)))
        var blobs = try BlobImport(from: source.store, to: target.directory, codec: codec(to))
        var total: UInt64 = 0
        for size in Self.sizes {
            let content = noise(size)
            let made = try source.put(content)
            // A snapshot that is copied may be older than this.
            if size == 1 { _ = try source.store.moveToTrash(made.storageName, epoch: 1) }
            let name = try blobs.bring(made.storageName) { (bytes) throws(StorageError) in
                #expect(bytes <= 1 << 18)
                total += bytes
            }
            #expect(name == target.store.name(ofSHA256: made.sha256))
            #expect(name != made.storageName)
            #expect(try target.read(name) == content)
            #expect(try target.store.verify(name) == nil)
            #expect(try blobs.bring(made.storageName) == name, "once more")
        }
        try blobs.sync()
        #expect(total == UInt64(Self.sizes.reduce(0, +)))
        #expect(try target.files().count == Self.sizes.count)
        try target.store.removeAbandoned()
        #expect(try target.files().count == Self.sizes.count)
    }

    @Test func whatIsGivenUpLeavesNothing() throws {
        let (source, target) = (try BlobFixture(PlainBlobCodec()), try BlobFixture())
        let name = try source.put(noise(1_000_000)).storageName
        var blobs = try BlobImport(from: source.store, to: target.directory, codec: BlobFixture.codec())
        for limit in 0..<4 {
            var calls = 0
            let error = #expect(throws: StorageError.self) {
                try blobs.bring(name) { (_) throws(StorageError) in
                    if calls == limit { throw StorageError(.cancelled, "Enough of this.") }
                    calls += 1
                }
            }
            #expect(error?.code == .cancelled)
            #expect(calls == limit)
            #expect(try target.files().isEmpty)
        }
        _ = try blobs.bring(name)
        #expect(try target.files().count == 1)
    }

    /// Damage would have been encrypted, and never found again.
    @Test(arguments: ways) func whatIsDamagedOrMissingIsNotTaken(from: UInt8?, to: UInt8?) throws {
        let (source, target) = (try BlobFixture(codec(from)), try BlobFixture(codec(to)))
        var blobs = try BlobImport(from: source.store, to: target.directory, codec: codec(to))
        let name = try source.put(noise(300_000)).storageName
        var file = try source.file(name)
        file[100_000] ^= 1
        try source.replace(name, with: file)
        for name in [name, String(repeating: "0", count: 64), "../x"] {
            let error = #expect(throws: StorageError.self) { try blobs.bring(name) }
            #expect(error?.code == .corrupt)
            #expect(try target.files().isEmpty)
        }
    }

    @Test(arguments: [true, false]) func filesOfTheSameKeysAreTakenAsTheyAre(mayLink: Bool) throws {
        let (source, target) = (try BlobFixture(), try BlobFixture())
        let made = try source.put(noise(300_000))
        var blobs = BlobImport(from: source.store, to: target.directory, mayLink: mayLink)
        var told: [UInt64] = []
        let name = try blobs.bring(made.storageName) { (bytes) throws(StorageError) in told.append(bytes) }
        try blobs.sync()
        #expect(name == made.storageName)
        #expect(told == [300_000])
        #expect(try target.file(name) == source.file(name))
        #expect(try target.store.verify(name) == nil)
    }
}
