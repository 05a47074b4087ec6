internal import CSetteeZlib
internal import StorageProtocol

/// Decodes gzip (RFC 1952), piece by piece. Several members in a row form one content.
@safe
final class Gunzip {
    // On the heap, because the library keeps the address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isAtEnd = false
    private static let pieceSize = 1 << 16

    init() throws(StorageError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe czlib_begin_gunzip(stream) == Z_OK else {
            throw StorageError(.attachmentStore, "There is no memory left to decode an attachment.")
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decodes `input` and passes the result to `body`, in pieces.
    ///
    /// - Throws: `corrupt` (591) if it is not gzip.
    func decode(_ input: [UInt8], _ body: ([UInt8]) throws(StorageError) -> Void) throws(StorageError) {
        var consumed = 0
        while true {
            if isAtEnd {
                guard consumed < input.count else { return }
                unsafe inflateReset(stream)
                isAtEnd = false
            }
            let piece = try step(input, &consumed)
            if !piece.isEmpty { try body(piece) }
            // If the piece is not full, there is no more output for this input.
            if consumed == input.count, piece.count < Gunzip.pieceSize { return }
        }
    }

    /// - Throws: `corrupt` (591) if the content is truncated.
    func finish() throws(StorageError) {
        guard isAtEnd else { throw Gunzip.damaged }
    }

    private func step(_ input: [UInt8], _ consumed: inout Int) throws(StorageError) -> [UInt8] {
        var status = Z_OK
        var pieces: [UInt8] = []
        let start = consumed
        var taken = 0
        unsafe input.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: first + start)
            unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count - start)
            pieces = unsafe [UInt8](unsafeUninitializedCapacity: Gunzip.pieceSize) { buffer, filled in
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(Gunzip.pieceSize)
                status = unsafe inflate(stream, Z_NO_FLUSH)
                filled = unsafe Gunzip.pieceSize - Int(stream.pointee.avail_out)
            }
            taken = unsafe Int(UInt32(clamping: bytes.count - start) - stream.pointee.avail_in)
            unsafe stream.pointee.next_in = nil
        }
        consumed += taken
        switch status {
        case Z_STREAM_END: isAtEnd = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw Gunzip.damaged
        }
        return pieces
    }

    static var damaged: StorageError {
        .corrupt("An attachment that is encoded with gzip cannot be decoded; its encoded bytes can be read")
    }
}
