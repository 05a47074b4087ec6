/// A growing run of bytes that begins in borrowed memory, so that a typical key needs no allocation of its own.
@safe
struct KeyWriter: ~Copyable {
    private var buffer: UnsafeMutableRawBufferPointer
    private var ownsBuffer = false
    private(set) var count = 0

    /// `scratch` must outlive the writer.
    @unsafe
    init(scratch: UnsafeMutableRawBufferPointer) {
        unsafe buffer = unsafe scratch
    }

    deinit {
        if ownsBuffer { unsafe buffer.deallocate() }
    }

    /// Makes room for `more` bytes and lets `body` write there. `body` returns how many bytes it wrote.
    mutating func append<E: Error>(
        upTo more: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        reserve(more)
        let written = try unsafe body(UnsafeMutableRawBufferPointer(rebasing: buffer[count..<(count + more)]))
        precondition(0...more ~= written)
        count += written
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe buffer[count] = byte
        count += 1
    }

    mutating func append(_ bytes: RawSpan) {
        reserve(bytes.byteCount)
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: source)
        }
        count += bytes.byteCount
    }

    borrowing func append(to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if unsafe buffer.count - count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let capacity = unsafe max(buffer.count * 2, count + more)
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if ownsBuffer { unsafe buffer.deallocate() }
        unsafe buffer = larger
        ownsBuffer = true
    }
}
