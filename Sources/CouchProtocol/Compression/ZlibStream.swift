internal import CSetteeZlib

/// A stream of the library zlib, in one direction, with its output buffer. It belongs to one thread at a time.
@safe
final class ZlibStream {
    enum Direction {
        case inflate
        /// With a level from 1, the fastest, to 9, the smallest.
        case deflate(level: Int32)
    }

    /// What a step did.
    struct Step {
        /// The library's status.
        var status: Int32
        /// How many bytes of the input were taken.
        var taken: Int
        /// How many bytes are in the output buffer.
        var made: Int
    }

    /// The size of the output buffer in bytes.
    static let pieceSize = 1 << 16

    // Both on the heap, because the library keeps the addresses.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private let isDeflating: Bool

    /// - Throws: `service_unavailable` (503) if there is no memory.
    init(_ direction: Direction, _ format: CompressionFormat) throws(CouchError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe output = .allocate(byteCount: ZlibStream.pieceSize, alignment: 1)
        let size = unsafe CInt(MemoryLayout<z_stream>.size)
        let status: Int32
        switch direction {
        case .inflate:
            isDeflating = false
            status = unsafe inflateInit2_(stream, format.windowBits, zlibVersion(), size)
        case .deflate(let level):
            isDeflating = true
            status = unsafe deflateInit2_(
                stream,
                level,
                Z_DEFLATED,
                format.windowBits,
                8,
                Z_DEFAULT_STRATEGY,
                zlibVersion(),
                size
            )
        }
        guard status == Z_OK else { throw .unavailable }
    }

    deinit {
        if isDeflating { unsafe deflateEnd(stream) } else { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Works on the input from `start` until it is taken or the output buffer is full.
    ///
    /// - Parameter isLast: Whether the content ends with this input. When compressing, the end is written then.
    func step(_ input: RawSpan, from start: Int, isLast: Bool = false) -> Step {
        unsafe input.withUnsafeBytes { bytes in
            let count = UInt32(clamping: bytes.count - start)
            // The library does not write to its input.
            let first = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.next_in = first.map { unsafe ($0 + start).assumingMemoryBound(to: UInt8.self) }
            unsafe stream.pointee.avail_in = count
            unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(ZlibStream.pieceSize)
            // The clamped rest of a very long input comes with the next step.
            let flush = isLast && Int(count) == bytes.count - start ? Z_FINISH : Z_NO_FLUSH
            let status = unsafe isDeflating ? deflate(stream, flush) : inflate(stream, Z_NO_FLUSH)
            unsafe stream.pointee.next_in = nil
            return unsafe Step(
                status: status,
                taken: Int(count - stream.pointee.avail_in),
                made: ZlibStream.pieceSize - Int(stream.pointee.avail_out)
            )
        }
    }

    /// Lends the first `count` bytes of the output buffer.
    func withOutput(_ count: Int, _ body: (RawSpan) throws(CouchError) -> Void) throws(CouchError) {
        try unsafe body(UnsafeRawBufferPointer(rebasing: output[..<count]).bytes)
    }

    /// Begins the next member, when inflating.
    func reset() { unsafe inflateReset(stream) }
}
