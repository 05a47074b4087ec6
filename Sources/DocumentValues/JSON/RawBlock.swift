/// A block of memory that grows and is reused: the parser's text, tape, output and sorting space.
@safe
struct RawBlock: ~Copyable {
    /// Bytes that can be read and written beyond `capacity`, so that up to 32 can be handled at a time near the end.
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
    var view: RawView { unsafe RawView(base: base, capacity: capacity) }

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
