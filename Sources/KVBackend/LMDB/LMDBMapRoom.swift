internal import SetteeSystemLibrary

/// The address space that may be reserved for a file.
enum LMDBMapRoom {
    /// Bytes that are reserved where the system gives them, and the least that will do.
    static let largest = 1 << 40
    static let smallest = 64 << 20

    /// How much to reserve for one more file. Where the system has a limit, most of it is left to others.
    static func forNewMap() -> Int {
        var size = largest
        while size > smallest, !isThere(size) { size /= 2 }
        return size == largest ? size : max(smallest, size / 4)
    }

    /// `size`, doubled until a file of `bytes` has room in it to double, as far as the system gives that much.
    static func size(_ size: Int, holding bytes: UInt64) -> Int {
        var size = size
        while size / 2 < bytes, size <= Int.max / 4, isThere(size * 2) { size *= 2 }
        return size
    }

    /// Whether so many bytes could be reserved now.
    static func isThere(_ size: Int) -> Bool {
        let room = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard unsafe room != MAP_FAILED else { return false }
        unsafe munmap(room, size)
        return true
    }
}
