internal import Foundation
internal import SetteeStorageFiles
internal import StorageProtocol

/// Reads the content of one file, whose trailer has been verified.
final class EncryptedBlobDecoder: BlobDecoder {
    /// How many chunks are read from the file at a time.
    private static let chunksAtATime: UInt64 = 4

    private let file: BlobFile
    private let layout: BlobLayout
    private let cipher: BlobFileCipher
    /// The chunk that was opened last, because small pieces are read one after another.
    private var latest: (number: UInt64, content: Data)?

    let sha256: [UInt8]?

    init(_ file: BlobFile, _ layout: BlobLayout, _ cipher: BlobFileCipher, _ trailer: BlobTrailer) {
        self.file = file
        sha256 = trailer.sha256
        self.layout = layout
        self.cipher = cipher
    }

    var length: UInt64 { layout.length }

    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        let end = offset + UInt64(count)
        while bytes.count < count {
            let position = offset + UInt64(bytes.count)
            let number = position / UInt64(BlobLayout.chunkLength)
            if let latest, latest.number == number {
                take(latest.content, of: number, position..<end, into: &bytes)
            } else {
                let last = (end - 1) / UInt64(BlobLayout.chunkLength)
                try open(number..<min(last + 1, number + EncryptedBlobDecoder.chunksAtATime)) { (number, content) in
                    take(content, of: number, offset + UInt64(bytes.count)..<end, into: &bytes)
                }
            }
        }
        return bytes
    }

    /// Adds the part of a chunk that is in `range` of the content.
    private func take(_ content: Data, of number: UInt64, _ range: Range<UInt64>, into bytes: inout [UInt8]) {
        let start = Int(range.lowerBound - number * UInt64(BlobLayout.chunkLength))
        let count = Int(min(UInt64(content.count - start), range.upperBound - range.lowerBound))
        unsafe content.withUnsafeBytes { chunk in
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[start..<start + count]))
        }
    }

    /// Reads chunks of the file, and passes them to `body`.
    private func open(_ numbers: Range<UInt64>, _ body: (UInt64, Data) -> Void) throws(StorageError) {
        let start = BlobLayout.offset(ofChunk: numbers.lowerBound)
        let sizes = numbers.map { layout.length(ofChunk: $0) + BlobLayout.tagLength }
        let sealed = try file.read(at: start, count: sizes.reduce(0, +))
        var position = 0
        for (number, size) in zip(numbers, sizes) {
            guard position + size <= sealed.count else { throw file.damage("it has lost bytes") }
            let part = BlobPart.chunk(number, isLast: number + 1 == layout.chunks)
            let opened = unsafe sealed.withUnsafeBytes { bytes in
                unsafe cipher.open(part, UnsafeRawBufferPointer(rebasing: bytes[position..<position + size]))
            }
            guard let opened else { throw file.damage("chunk \(number) was changed") }
            latest = (number, opened)
            body(number, opened)
            position += size
        }
    }
}
