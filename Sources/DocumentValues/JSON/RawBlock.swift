/// A block of memory that grows and is reused: the parser's text, tape, output and stacks.
@safe
struct RawBlock: ~Copyable {
    /// Bytes that can be read and written beyond `capacity`, so that 8 or 16 can be handled at a time near the end.
    static let padding = 32

    private var base: UnsafeMutableRawPointer
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe self.base = .allocate(byteCount: capacity + RawBlock.padding, alignment: 16)
        unsafe self.base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity + RawBlock.padding)
    }

    deinit { unsafe base.deallocate() }

    /// Access to the memory; valid until the block grows, shrinks or is freed.
    var view: RawView { unsafe RawView(base: base, capacity: capacity + RawBlock.padding) }

    /// Makes room for `count` bytes and keeps the first `kept` of them.
    mutating func reserve(_ count: Int, keeping kept: Int = 0) {
        if count > capacity { replace(capacity: max(count, 2 * capacity), keeping: kept) }
    }

    /// Frees memory that one large text has left behind: what exceeds both `count` and 1 MiB by far.
    mutating func trim(to count: Int) {
        if capacity > 1 << 20, capacity / 8 > count { replace(capacity: max(count, 1 << 12), keeping: 0) }
    }

    private mutating func replace(capacity newCapacity: Int, keeping kept: Int) {
        let total = newCapacity + RawBlock.padding
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: 16)
        unsafe fresh.copyMemory(from: base, byteCount: kept)
        unsafe base.deallocate()
        unsafe base = fresh
        capacity = newCapacity
    }
}

/// Checked access to the memory of a `RawBlock`. A view must not outlive the block or be kept when the block grows, so
/// it never leaves the functions that create it.
@safe
struct RawView {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int

    @unsafe
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        unsafe self.base = base
        self.capacity = capacity
    }

    @inline(__always)
    private func check(_ offset: Int, _ count: Int) {
        precondition(offset >= 0 && offset &+ count <= capacity, "access beyond the block")
    }

    /// The byte at `offset`.
    @inline(__always)
    subscript(offset: Int) -> UInt8 {
        get {
            check(offset, 1)
            return unsafe base.load(fromByteOffset: offset, as: UInt8.self)
        }
        nonmutating set {
            check(offset, 1)
            unsafe base.storeBytes(of: newValue, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// The eight bytes from `offset`, the first one lowest.
    @inline(__always)
    func eight(at offset: Int) -> UInt64 {
        check(offset, 8)
        return UInt64(littleEndian: unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The word with number `index`, if the block is used as an array of words.
    @inline(__always)
    func word(_ index: Int) -> UInt64 {
        check(index &<< 3, 8)
        return unsafe base.load(fromByteOffset: index &<< 3, as: UInt64.self)
    }

    @inline(__always)
    func setWord(_ index: Int, _ value: UInt64) {
        check(index &<< 3, 8)
        unsafe base.storeBytes(of: value, toByteOffset: index &<< 3, as: UInt64.self)
    }

    /// Copies bytes of `source` to this view. Up to 31 bytes after the target may be overwritten too.
    @inline(__always)
    func copy(_ source: RawView, from start: Int, count: Int, to target: Int) {
        source.check(start, count)
        check(target, count)
        if count <= 32, start &+ 32 <= source.capacity, target &+ 32 <= capacity {
            let low = unsafe source.base.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt8>.self)
            unsafe base.storeBytes(of: low, toByteOffset: target, as: SIMD16<UInt8>.self)
            if count > 16 {
                let high = unsafe source.base.loadUnaligned(fromByteOffset: start &+ 16, as: SIMD16<UInt8>.self)
                unsafe base.storeBytes(of: high, toByteOffset: target &+ 16, as: SIMD16<UInt8>.self)
            }
        } else {
            unsafe (base + target).copyMemory(from: source.base + start, byteCount: count)
        }
    }

    /// Copies `source` to `target`.
    func copy(_ source: RawSpan, to target: Int) {
        check(target, source.byteCount)
        unsafe source.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress {
                unsafe (base + target).copyMemory(from: start, byteCount: bytes.count)
            }
        }
    }

    /// Sets `count` bytes from `target` to zero.
    @inline(__always)
    func clear(_ target: Int, count: Int) {
        check(target, count)
        unsafe (base + target).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    /// Passes the bytes of `range` to `body`.
    @inline(__always)
    func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        check(range.lowerBound, range.count)
        let buffer = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return try unsafe body(buffer.bytes)
    }

    /// Appends the bytes of `range` to `output`.
    @inline(__always)
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        check(range.lowerBound, range.count)
        unsafe output.append(contentsOf: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// Returns the bytes of `range` as text. They have been checked to be UTF-8.
    @inline(__always)
    func string(_ range: Range<Int>) -> String {
        check(range.lowerBound, range.count)
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count),
            as: UTF8.self
        )
    }
}
