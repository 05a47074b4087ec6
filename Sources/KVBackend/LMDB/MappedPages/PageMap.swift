internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

/// A data file in memory, for reading. LMDB has a map of its own, whose place it does not tell.
///
/// The map may be longer than the file: what lies behind the file's end must not be touched, and can be once the file
/// has grown.
@safe
final class PageMap: Sendable {
    // Sendable since the mapping is read-only, and stays where it is until `deinit`.
    nonisolated(unsafe) let base: UnsafeRawPointer
    let pageSize: Int
    /// How many pages there is room for.
    let capacity: UInt64
    private let length: Int
    /// The environment's: open as long as this is used.
    private let descriptor: CInt
    /// How many whole pages the file had when it was last asked for.
    private let known: Atomic<UInt64>

    /// - Parameter pages: how many there must be room for.
    /// - Throws: `full` (507) where the process gets no more address space.
    init(descriptor: CInt, pageSize: Int, pages: UInt64) throws(StorageError) {
        let largest = UInt64(Int.max / 4 / pageSize)
        guard pages <= largest else { throw Self.noRoom }
        // Room to double. Where that is refused, what is needed.
        let wanted = max(2 * pages, UInt64((1 << 20) / pageSize))
        for count in [wanted, pages] {
            let length = Int(count) * pageSize
            let memory = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0)
            guard unsafe memory != MAP_FAILED, let memory = unsafe memory else { continue }
            unsafe base = UnsafeRawPointer(memory)
            self.length = length
            self.pageSize = pageSize
            self.descriptor = descriptor
            capacity = count
            known = Atomic(Self.pages(descriptor, pageSize))
            return
        }
        throw Self.noRoom
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), length) }

    /// How many whole pages the file has had at least.
    var filePages: UInt64 { known.load(ordering: .relaxed) }

    /// Whether the file has this page. Asks the system where it did not have it the last time.
    @inline(never)
    func hasPage(_ number: UInt64) -> Bool {
        guard number < capacity else { return false }
        if number < filePages { return true }
        let pages = Self.pages(descriptor, pageSize)
        known.store(pages, ordering: .relaxed)
        return number < pages
    }

    /// A map of the same file with room for `pages`.
    func larger(_ pages: UInt64) throws(StorageError) -> PageMap {
        try PageMap(descriptor: descriptor, pageSize: pageSize, pages: pages)
    }

    private static func pages(_ descriptor: CInt, _ pageSize: Int) -> UInt64 {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return 0 }
        return UInt64(max(0, facts.st_size)) / UInt64(pageSize)
    }

    private static var noRoom: StorageError {
        StorageError(
            .full,
            "The system gives the process no more address space for the file. Raise the limit (ulimit -v), or close "
                + "other "
                + "databases, and open the database again."
        )
    }
}
