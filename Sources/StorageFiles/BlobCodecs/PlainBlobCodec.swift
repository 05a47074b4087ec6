package import StorageProtocol

/// Stores the content unchanged as a file, named by its SHA-256.
package struct PlainBlobCodec: BlobCodec {
    package var filesAreContents: Bool { true }

    package init() {}

    package func name(ofSHA256 digest: [UInt8]) -> String {
        String(decoding: Hexadecimal.text(digest), as: UTF8.self)
    }

    package func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64 { size }

    package func makeEncoder() throws(StorageError) -> any BlobEncoder { Encoder() }

    package func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder {
        Decoder(file, Hexadecimal.bytes(name))
    }

    private final class Encoder: BlobEncoder {
        func append(
            _ bytes: RawSpan,
            to write: (RawSpan) throws(StorageError) -> Void
        ) throws(StorageError) { try write(bytes) }

        func finish(
            _ content: BlobContent,
            to write: (RawSpan) throws(StorageError) -> Void
        ) throws(StorageError) {}
    }

    private final class Decoder: BlobDecoder {
        let length: UInt64
        let sha256: [UInt8]?
        private let file: BlobFile

        init(_ file: BlobFile, _ sha256: [UInt8]?) {
            self.file = file
            self.sha256 = sha256
            length = file.size
        }

        func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
            try file.read(at: offset, count: count)
        }
    }
}
