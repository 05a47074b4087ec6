internal import StorageEngineKit
internal import StorageProtocol

/// Reusable memory in which keys are assembled. It grows as needed, and is not allocated before its first use.
@safe
struct KeyBuffer: ~Copyable {
    private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// How many bytes it holds.
    private(set) var count = 0

    init() {}

    deinit { unsafe memory.deallocate() }

    /// The content. Valid until it changes or is freed.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[0..<count]) }

    mutating func removeAll() { count = 0 }

    mutating func removeLast(_ n: Int) { count = max(0, count - n) }

    @inline(__always)
    mutating func append(_ more: UnsafeRawBufferPointer) {
        reserve(more.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: more)
        count += more.count
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe memory[count] = byte
        count += 1
    }

    /// Appends what `write` writes into room for `limit` bytes. `write` returns the number of bytes.
    @inline(__always)
    mutating func append(atMost limit: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(limit)
        unsafe count += write(UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + limit]))
    }

    /// Appends a number in big-endian order.
    mutating func append<N: FixedWidthInteger>(bigEndian number: N) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe append($0) }
    }

    /// Appends `n` zeros.
    mutating func append(zeros n: Int) {
        reserve(n)
        for _ in 0..<n {
            unsafe memory[count] = 0
            count += 1
        }
    }

    /// Returns the content followed by `tail`, which does not become part of it: the next change overwrites it.
    mutating func bytes(followedBy tail: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        reserve(tail.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: tail)
        return unsafe UnsafeRawBufferPointer(rebasing: memory[0..<count + tail.count])
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if unsafe memory.count - count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(512, 2 * (count + more)), alignment: 8)
        unsafe larger.copyMemory(from: bytes)
        unsafe memory.deallocate()
        unsafe memory = larger
    }
}

extension KeyBuffer {
    /// Sets this to the store key of a continuation in the key's table: the first bytes of `key`.
    mutating func setRoot(_ key: UnsafeRawBufferPointer, _ layout: LongKeyLayout) {
        removeAll()
        unsafe append(UnsafeRawBufferPointer(rebasing: key[..<layout.cut]))
        append(LongKeyLayout.marker)
    }

    /// Sets this to the store key of the entry of `node` that continues with `rest`: its end, or a continuation.
    mutating func set(_ node: UInt64, _ rest: Slice<UnsafeRawBufferPointer>, _ layout: LongKeyLayout) {
        removeAll()
        append(bigEndian: node)
        unsafe append(UnsafeRawBufferPointer(rebasing: rest.prefix(layout.chunk)))
        if unsafe rest.count > layout.chunk { append(LongKeyLayout.marker) }
    }
}
