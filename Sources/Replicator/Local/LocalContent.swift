internal import SetteeEngine
internal import StorageProtocol

/// The stored bytes of an attachment of a database here.
final class LocalContent: ContentPieces {
    let offset: UInt64
    let isEncoded = true
    private let reader: AttachmentReader
    private let position: Locked<UInt64>
    private static let bytesOfPiece = 256 << 10

    init(_ reader: AttachmentReader, from offset: UInt64) {
        self.reader = reader
        self.offset = offset
        position = Locked(offset)
    }

    func next() async throws -> [UInt8]? {
        do {
            return try await AsyncDatabase.perform(on: AsyncDatabase.readers, until: .start) { [self] in
                let start = position.withLock { $0 }
                let piece = try reader.read(at: start, count: LocalContent.bytesOfPiece)
                position.withLock { $0 = start + UInt64(piece.count) }
                return piece.isEmpty ? nil : piece
            }
        } catch let error as StorageError {
            throw PeerError(error)
        }
    }

    func close() async {}
}
