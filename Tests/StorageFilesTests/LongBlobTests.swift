import Crypto
import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

/// Blobs whose pieces are long enough to be hashed by another thread, and that are long enough for an early write-back.
@Suite("Long blobs")
struct LongBlobTests {
    private let home: TemporaryFolder
    private let folder: DatabaseFolder
    private let store: FileBlobStore
    private static let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }

    init() throws {
        home = try TemporaryFolder()
        try home.makeDatabase()
        folder = try DatabaseFolder.open(at: home.database)
        store = try folder.makeBlobStore()
    }

    @Test func hasTheDigestsOfItsPiecesInTheirOrder() throws {
        var generator = SeededGenerator(seed: 7)
        let writer = try store.makeWriter()
        var (sha1, sha256, length) = (Insecure.SHA1(), SHA256(), 0)
        for round in 0..<60 {
            var piece = Self.piece.prefix(
                Int.random(in: round % 3 == 0 ? 1...100_000 : 300_000...1_000_000, using: &generator)
            )
            piece[0] = UInt8(round)
            try append(Array(piece), to: writer)
            sha1.update(data: piece)
            sha256.update(data: piece)
            length += piece.count
        }
        #expect(length > 16 << 20)
        let content = try writer.finish()
        #expect(content.length == UInt64(length))
        #expect(content.sha1 == Array(sha1.finalize()))
        #expect(content.sha256 == Array(sha256.finalize()))
        try writer.publish()
        #expect(try store.verify(content.storageName) == nil)
    }

    @Test(arguments: [false, true]) func isGoneIfItsWriterIs(_ isFinished: Bool) throws {
        do {
            let writer = try store.makeWriter()
            for _ in 0..<24 { try append(Self.piece, to: writer) }
            if isFinished { _ = try writer.finish() }
        }
        #expect(try home.names(in: store.directory).isEmpty)
    }

    /// The encoder fails while another thread hashes the same piece.
    @Test func aFailureInTheMiddleReachesTheCaller() throws {
        let store = try FileBlobStore(
            directory: store.directory,
            readOnly: false,
            codec: FailingBlobCodec(after: 12 << 20)
        )
        let writer = try store.makeWriter()
        for _ in 0..<12 { try append(Self.piece, to: writer) }
        try failure(.full) { try append(Self.piece, to: writer) }
        writer.cancel()
        try failure(.attachmentStore) { try append(Self.piece, to: writer) }
        #expect(try home.names(in: store.directory).isEmpty)
    }
}

/// Encodes so many bytes of each content. Then the disk is full.
private struct FailingBlobCodec: BlobCodec {
    let limit: Int
    private let plain = PlainBlobCodec()

    init(after limit: Int) { self.limit = limit }

    var filesAreContents: Bool { true }

    func name(ofSHA256 digest: [UInt8]) -> String { plain.name(ofSHA256: digest) }

    func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64 { size }

    func makeEncoder() throws(StorageError) -> any BlobEncoder { Encoder(rest: limit) }

    func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder {
        try plain.makeDecoder(of: file, name: name)
    }

    private final class Encoder: BlobEncoder {
        private var rest: Int

        init(rest: Int) { self.rest = rest }

        func append(_ bytes: RawSpan, to write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
            guard bytes.byteCount <= rest else { throw StorageError(.full, "There is no room.") }
            rest -= bytes.byteCount
            try write(bytes)
        }

        func finish(
            _ content: BlobContent,
            to write: (RawSpan) throws(StorageError) -> Void
        ) throws(StorageError) {}
    }
}
