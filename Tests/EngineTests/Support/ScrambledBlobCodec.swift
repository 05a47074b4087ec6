import SetteeStorageFiles
import StorageProtocol

/// Stands in for a codec with keys: other names, other bytes, and damage to the last byte is found when a file is
/// opened.
struct ScrambledBlobCodec: BlobCodec {
    let key: UInt8

    var filesAreContents: Bool { false }

    func name(ofSHA256 digest: [UInt8]) -> String { PlainBlobCodec().name(ofSHA256: digest.map { $0 ^ key }) }

    func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64 {
        guard size > 0 else { throw .corrupt("An empty file holds no content") }
        return size - 1
    }

    func makeEncoder() throws(StorageError) -> any BlobEncoder { Encoder(key: key) }

    func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder {
        let length = try length(ofFileSize: file.size)
        guard try file.read(at: length, count: 1) == [key] else { throw file.damage("its end was changed") }
        return Decoder(file: file, key: key, length: length)
    }

    private final class Encoder: BlobEncoder {
        let key: UInt8

        init(key: UInt8) { self.key = key }

        func append(_ bytes: RawSpan, to write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
            let scrambled = bytes.withUnsafeBytes { $0.map { $0 ^ key } }
            try write(scrambled.span.bytes)
        }

        func finish(
            _ content: BlobContent,
            to write: (RawSpan) throws(StorageError) -> Void
        ) throws(StorageError) { try write([key].span.bytes) }
    }

    private final class Decoder: BlobDecoder {
        let file: BlobFile
        let key: UInt8
        let length: UInt64

        init(file: BlobFile, key: UInt8, length: UInt64) {
            self.file = file
            self.key = key
            self.length = length
        }

        func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
            try file.read(at: offset, count: count).map { $0 ^ key }
        }
    }
}
