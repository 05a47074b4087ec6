internal import SetteeSystemLibrary

/// The address space that can be reserved for a file.
enum LMDBMapRoom {
    /// The bytes to reserve if the system provides them, and the minimum that is sufficient.
    static let largest = 1 << 40
    static let smallest = 64 << 20
    /// More would be of little use where address space is short.
    private static let enough = 16 << 30

    /// Returns how much to reserve for one more file: a 64th of the longest stretch that is free, or a quarter where
    /// that is less than `enough`. The rest is left to others: a process has 128 TiB, and memory, threads and hundreds
    /// of other databases take it from the same.
    static func forNewMap() -> Int {
        var free = 64 * largest
        while free > smallest, !isThere(free) { free /= 2 }
        return max(free / 64, min(free / 4, enough), smallest)
    }

    /// Returns `size`, doubled until a file of `bytes` has room in it to double, as far as the system allows.
    static func size(_ size: Int, holding bytes: UInt64) -> Int {
        var size = size
        while size / 2 < bytes, size <= Int.max / 4, isThere(size * 2) { size *= 2 }
        return size
    }

    /// Whether this many bytes could be reserved now.
    static func isThere(_ size: Int) -> Bool {
        let room = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard unsafe room != MAP_FAILED else { return false }
        unsafe munmap(room, size)
        return true
    }
}
