internal import CSetteeVectors

/// Checked access to the memory of a `RawBlock`. A view must not outlive the block or be kept when the block grows, so
/// it never leaves the functions that create it.
@safe
struct RawView {
    private let base: UnsafeMutableRawPointer
    /// The size without the padding: from every offset up to this, `RawBlock.padding` bytes can be used.
    private let capacity: Int

    @unsafe
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        unsafe self.base = base
        self.capacity = capacity
    }

    /// Checks access to a few bytes from `offset`. One comparison, whatever their number: the padding is behind them.
    @inline(__always)
    private func check(_ offset: Int) {
        precondition(UInt(bitPattern: offset) <= UInt(bitPattern: capacity), "access beyond the block")
    }

    @inline(__always)
    private func check(_ offset: Int, _ count: Int) {
        check(offset)
        precondition(count >= 0 && count &- RawBlock.padding <= capacity &- offset, "access beyond the block")
    }

    /// Checks that something shortly after a checked offset is within the padding. Known when this is compiled, so it
    /// costs nothing.
    @inline(__always)
    private func checkPadding(_ distance: Int, _ count: Int) {
        precondition(distance >= 0 && distance &+ count <= RawBlock.padding, "access beyond the padding")
    }

    /// The byte at `offset`.
    @inline(__always)
    subscript(offset: Int) -> UInt8 {
        get {
            check(offset)
            return unsafe base.load(fromByteOffset: offset, as: UInt8.self)
        }
        nonmutating set {
            check(offset)
            unsafe base.storeBytes(of: newValue, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// The two bytes from `offset`, the first one lowest.
    @inline(__always)
    func pair(at offset: Int) -> UInt16 {
        check(offset)
        return UInt16(littleEndian: unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The eight bytes from `distance` after `offset`, the first one lowest.
    @inline(__always)
    func eight(at offset: Int, plus distance: Int = 0) -> UInt64 {
        check(offset)
        checkPadding(distance, 8)
        return UInt64(littleEndian: unsafe base.loadUnaligned(fromByteOffset: offset &+ distance, as: UInt64.self))
    }

    /// Of the 16 bytes from `distance` after `offset`, those that end a run of plain characters in a string, the first
    /// one lowest.
    @inline(__always)
    func stringStops(at offset: Int, plus distance: Int = 0) -> UInt32 {
        check(offset)
        checkPadding(distance, 16)
        return unsafe csv_string_stops(base + offset + distance)
    }

    /// The word `distance` after that with number `index`, if the block is used as an array of words.
    @inline(__always)
    func word(_ index: Int, plus distance: Int = 0) -> UInt64 {
        check(index &<< 3)
        checkPadding(distance &<< 3, 8)
        return unsafe base.load(fromByteOffset: (index &+ distance) &<< 3, as: UInt64.self)
    }

    @inline(__always)
    func setWord(_ index: Int, plus distance: Int = 0, _ value: UInt64) {
        check(index &<< 3)
        checkPadding(distance &<< 3, 8)
        unsafe base.storeBytes(of: value, toByteOffset: (index &+ distance) &<< 3, as: UInt64.self)
    }

    /// Copies the two words from number `index` to the two after them.
    @inline(__always)
    func repeatPair(_ index: Int) {
        check(index &<< 3)
        checkPadding(16, 16)
        let pair = unsafe base.loadUnaligned(fromByteOffset: index &<< 3, as: SIMD2<UInt64>.self)
        unsafe base.storeBytes(of: pair, toByteOffset: index &<< 3 &+ 16, as: SIMD2<UInt64>.self)
    }

    /// Copies bytes of `source` to this view. Up to 31 bytes after the target may be overwritten too.
    @inline(__always)
    func copy(_ source: RawView, from start: Int, count: Int, to target: Int) {
        source.check(start)
        check(target)
        if UInt(bitPattern: count) <= 32 {
            let low = unsafe source.base.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt8>.self)
            unsafe base.storeBytes(of: low, toByteOffset: target, as: SIMD16<UInt8>.self)
            if count > 16 {
                let high = unsafe source.base.loadUnaligned(fromByteOffset: start &+ 16, as: SIMD16<UInt8>.self)
                unsafe base.storeBytes(of: high, toByteOffset: target &+ 16, as: SIMD16<UInt8>.self)
            }
        } else {
            source.check(start, count)
            check(target, count)
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

    /// Sets the 32 bytes from `target` to zero.
    @inline(__always)
    func clearPadding(_ target: Int) {
        check(target)
        unsafe base.storeBytes(of: SIMD32<UInt8>(repeating: 0), toByteOffset: target, as: SIMD32<UInt8>.self)
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
