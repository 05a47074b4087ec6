internal import SetteeSystemLibrary

/// Bytes that are overwritten before their memory is freed. They are on pages of their own, which can be kept out of
/// core dumps and swap space.
@safe
package final class SecretBytes: @unchecked Sendable {
    // Sendable because nothing changes after the initializer.
    private let memory: UnsafeMutableRawBufferPointer
    /// The length of the mapping in bytes; nil for memory from malloc.
    private let mapped: Int?

    /// - Throws: `storage` (590) if there is no memory.
    package init(_ bytes: RawSpan) throws(StorageError) {
        let count = bytes.byteCount
        if let (start, length) = unsafe SecretBytes.map(count) {
            unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
            mapped = length
        } else if let start = unsafe malloc(max(count, 1)) {
            // No more mappings are available. A small block often still is.
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

    /// Maps pages for this many bytes. Returns nil if the system has none.
    private static func map(_ count: Int) -> (UnsafeMutableRawPointer, Int)? {
        let page = Int(getpagesize())
        let (raised, overflow) = max(count, 1).addingReportingOverflow(page - 1)
        guard !overflow else { return nil }
        let length = raised / page * page
        let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard unsafe start != MAP_FAILED, let start = unsafe start else { return nil }
        // Both are best effort: the key also works in memory that is dumped or swapped. RLIMIT_MEMLOCK is often small.
        #if !canImport(Darwin)
        // Not MADV_WIPEONFORK: a child of fork would find zeros instead of the key, all keys would be equal there, and
        // it would encrypt what it writes with a publicly known key. Nor MADV_DONTFORK: the child would crash at the
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

    /// Compares all bytes, wherever the first difference is.
    package func equals(_ other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { unsafe difference |= memory[index] ^ other.memory[index] }
        return difference == 0
    }

    /// Overwrites memory with a system call that a compiler cannot optimise away, even though the memory is not read
    /// again.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
        unsafe _ = memset_s(start, memory.count, 0, memory.count)
        #else
        unsafe explicit_bzero(start, memory.count)
        #endif
    }
}
