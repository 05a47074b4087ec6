internal import SetteeSystemLibrary

/// The address space that can be reserved for a file.
enum LMDBMapRoom {
    /// The bytes to reserve if the system provides them, and the minimum that is sufficient.
    static let largest = 1 << 40
    static let smallest = 64 << 20

    /// Returns how much to reserve for one more file. If the system has a limit, most of it is left for others.
    static func forNewMap() -> Int {
        var size = largest
        while size > smallest, !isThere(size) { size /= 2 }
        return size == largest ? size : max(smallest, size / 4)
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
