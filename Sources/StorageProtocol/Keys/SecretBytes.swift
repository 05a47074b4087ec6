internal import SetteeSystemLibrary

/// Bytes that are overwritten before their memory is given back, on pages that nothing else is on: those can be kept
/// out of core dumps and of swap space.
@safe
package final class SecretBytes: @unchecked Sendable {
    // Sendable since nothing changes after the initializer.
    private let memory: UnsafeMutableRawBufferPointer
    /// The bytes that were mapped; nil for memory of malloc.
    private let mapped: Int?

    /// - Throws: `storage` (590) where there is no memory.
    package init(_ bytes: RawSpan) throws(StorageError) {
        let count = bytes.byteCount
        if let (start, length) = unsafe SecretBytes.map(count) {
            unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
            mapped = length
        } else if let start = unsafe malloc(max(count, 1)) {
            // No mapping is left. A small block often still is.
            unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
            mapped = nil
        } else {
            throw StorageError(.storage, "There is no memory for a key of \(count) bytes. Give the process more.")
        }
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }

    deinit {
        unsafe SecretBytes.wipe(memory)
        if let mapped {
            unsafe _ = munmap(memory.baseAddress!, mapped)
        } else {
            unsafe free(memory.baseAddress)
        }
    }

    /// Pages for so many bytes; nil where the system has none.
    private static func map(_ count: Int) -> (UnsafeMutableRawPointer, Int)? {
        let page = Int(getpagesize())
        let (raised, overflow) = max(count, 1).addingReportingOverflow(page - 1)
        guard !overflow else { return nil }
        let length = raised / page * page
        let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard unsafe start != MAP_FAILED, let start = unsafe start else { return nil }
        // Both are the best that can be had: a key is as right in memory that is dumped or swapped. RLIMIT_MEMLOCK is
        // often small.
        #if !canImport(Darwin)
        // Not MADV_WIPEONFORK: a child of fork would find zeros where the key was, all keys would be equal there, and
        // what it writes would be encrypted with a key that everybody knows. Nor MADV_DONTFORK: it would end at the
        // first use.
        unsafe _ = madvise(start, length, MADV_DONTDUMP)
        #endif
        unsafe _ = mlock(start, length)
        return unsafe (start, length)
    }

    package var count: Int { unsafe memory.count }

    package func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(memory).bytes)
    }

    /// Looks at all bytes, wherever the first difference is.
    package func equals(_ other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { unsafe difference |= memory[index] ^ other.memory[index] }
        return difference == 0
    }

    /// Overwrites memory, by a call of the system that no compiler leaves out though nobody reads the memory again.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
        unsafe _ = memset_s(start, memory.count, 0, memory.count)
        #else
        unsafe explicit_bzero(start, memory.count)
        #endif
    }
}
