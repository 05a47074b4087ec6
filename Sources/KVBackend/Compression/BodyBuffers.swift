/// Reusable memory for bodies that are read. Uses may be nested: each has its own memory. Belongs to one thread.
@safe
final class BodyBuffers {
    /// How many buffers are kept for their next use, and their maximum length.
    private static let keptCount = 4
    private static let keptLength = 1 << 20

    private var free: [UnsafeMutableRawBufferPointer] = unsafe []

    deinit { unsafe free.forEach { unsafe $0.deallocate() } }

    /// Passes memory of `count` bytes to `use`, valid until it returns.
    func with<R, E: Error>(_ count: Int, _ use: (UnsafeMutableRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let buffer = unsafe take(count)
        defer { unsafe give(buffer) }
        return try unsafe use(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }

    private func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if let last = unsafe free.popLast() {
            if last.count >= count { return unsafe last }
            unsafe last.deallocate()
        }
        return .allocate(byteCount: max(count, 4096), alignment: 16)
    }

    private func give(_ buffer: UnsafeMutableRawBufferPointer) {
        if unsafe free.count < Self.keptCount && buffer.count <= Self.keptLength {
            unsafe free.append(buffer)
        } else {
            unsafe buffer.deallocate()
        }
    }
}
