public import Foundation
internal import StorageProtocol

/// The source of the content of an attachment.
public struct AttachmentSource {
    private enum Kind {
        case bytes([UInt8])
        case file(URL)
        case pieces(() throws -> [UInt8]?)
        case stream(InputStream)
        case staged(StagedAttachment)
    }

    private let kind: Kind

    /// These bytes.
    public static func bytes(_ bytes: [UInt8]) -> AttachmentSource { AttachmentSource(kind: .bytes(bytes)) }

    /// These bytes.
    public static func data(_ data: Data) -> AttachmentSource { AttachmentSource(kind: .bytes(Array(data))) }

    /// The content of the file at `url`. It is read once, piece by piece, to its end, so it may be a pipe.
    public static func file(_ url: URL) -> AttachmentSource { AttachmentSource(kind: .file(url)) }

    /// The pieces that `next` returns, until it returns nil. The length need not be known, and memory does not grow
    /// with it.
    public static func pieces(_ next: @escaping () throws -> [UInt8]?) -> AttachmentSource {
        AttachmentSource(kind: .pieces(next))
    }

    /// The content of `stream` up to its end. It is opened if it is not open yet, and closed at the end.
    public static func stream(_ stream: InputStream) -> AttachmentSource { AttachmentSource(kind: .stream(stream)) }

    /// Content that was written before with `Database.stageAttachment`.
    public static func staged(_ staged: StagedAttachment) -> AttachmentSource {
        AttachmentSource(kind: .staged(staged))
    }

    /// Content that is already written; nil if it comes from elsewhere.
    var stagedAttachment: StagedAttachment? {
        if case .staged(let staged) = kind { return staged }
        return nil
    }

    /// Passes the content to `body`, piece by piece.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        switch kind {
        case .bytes(let bytes): try body(bytes)
        case .file(let url): try AttachmentSource.read(url, body)
        case .pieces(let next): while let piece = try next() { try body(piece) }
        case .stream(let stream): try AttachmentSource.read(stream, body)
        case .staged: break
        }
    }

    /// The number of bytes read at a time.
    private static let pieceSize = 1 << 20

    private static func read(_ url: URL, _ body: ([UInt8]) throws -> Void) throws {
        guard url.isFileURL else { throw StorageError(.badParameter, "An attachment's file must be a file URL.") }
        guard let stream = InputStream(url: url) else { throw unreadable(nil) }
        try read(stream, body)
    }

    private static func read(_ stream: InputStream, _ body: ([UInt8]) throws -> Void) throws {
        if stream.streamStatus == .notOpen { stream.open() }
        defer { stream.close() }
        guard stream.streamStatus != .error else { throw unreadable(stream.streamError) }
        while true {
            var count = 0
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, filled in
                guard let start = buffer.baseAddress else { return }
                count = unsafe stream.read(start, maxLength: pieceSize)
                filled = max(0, count)
            }
            guard count >= 0 else { throw unreadable(stream.streamError) }
            guard count > 0 else { return }
            try body(piece)
        }
    }

    private static func unreadable(_ cause: (any Error)?) -> StorageError {
        StorageError(.fileSystem, "The file or stream for an attachment cannot be read.", cause: cause)
    }
}
