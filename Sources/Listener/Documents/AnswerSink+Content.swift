internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeEngine

extension AnswerSink {
    /// Writes a part of an attachment's content piece by piece, each read on a thread for that.
    ///
    /// - Throws: What reading and writing throw; `internal_server_error` (500) if the content ends early.
    func write(_ reader: AttachmentReader, _ range: Range<UInt64>, on threads: BlockingThreads) async throws {
        try await writePieces(after: range.lowerBound) { offset, size in
            guard offset < range.upperBound else { return nil }
            let count = Int(min(range.upperBound - offset, UInt64(size)))
            let piece = try await threads.run { ByteBuffer(bytes: try reader.read(at: offset, count: count)) }
            guard piece.readableBytes > 0 else { throw CouchError.internalError }
            return (offset + UInt64(piece.readableBytes), piece)
        }
    }
}
