internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeEngine

extension AnswerSink {
    /// Writes a part of an attachment's content in pieces of 64 KiB, each read on a thread for that.
    ///
    /// - Throws: What reading and writing throw; `internal_server_error` (500) if the content ends early.
    func write(_ reader: AttachmentReader, _ range: Range<UInt64>, on threads: BlockingThreads) async throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(range.upperBound - offset, 65_536))
            let piece = try await threads.run { [offset] in try reader.read(at: offset, count: count) }
            guard !piece.isEmpty else { throw CouchError.internalError }
            try await write(ByteBuffer(bytes: piece))
            offset += UInt64(piece.count)
        }
    }
}
