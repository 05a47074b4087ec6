internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

/// A data file mapped for reading. LMDB has a map of its own, but does not tell its address.
///
/// The map may be longer than the file. The part beyond the end of the file must not be accessed until the file has
/// grown.
///
/// The system reads the neighbours of a missing page along with it, up to megabytes. That helps while they stay in
/// memory. In a map of a file that is larger than the memory it is turned off, and cursors say what they are about to
/// read.
@safe
final class PageMap: Sendable {
    // Sendable because the mapping is read-only, and its address does not change until `deinit`.
    nonisolated(unsafe) let base: UnsafeRawPointer
    let pageSize: Int
    /// The number of pages for which there is room.
    let capacity: UInt64
    /// Whether the system reads the neighbours of a page along with it.
    let readsAhead: Bool
    private let length: Int
    /// The environment's descriptor, open as long as this is used.
    private let descriptor: CInt
    /// The number of whole pages in the file when it was last read.
    private let known: Atomic<UInt64>

    /// - Parameters:
    ///   - pages: The minimum number of pages for which there must be room.
    ///   - isLarge: Whether a file of a size in bytes is larger than the memory.
    /// - Throws: `full` (507) if the process gets no more address space.
    init(
        descriptor: CInt,
        pageSize: Int,
        pages: UInt64,
        isLarge: (UInt64) -> Bool = AvailableMemory.isExceeded(byFileOf:)
    ) throws(StorageError) {
        let largest = UInt64(Int.max / 4 / pageSize)
        guard pages <= largest else { throw Self.noRoom }
        // Room to double. If that is refused, only what is needed.
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
            let filePages = Self.pages(descriptor, pageSize)
            known = Atomic(filePages)
            readsAhead = !isLarge(filePages * UInt64(pageSize))
            if !readsAhead { unsafe _ = madvise(memory, length, CInt(MADV_RANDOM)) }
            return
        }
        throw Self.noRoom
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), length) }

    /// The minimum number of whole pages that the file has.
    var filePages: UInt64 { known.load(ordering: .relaxed) }

    /// Whether the file has this page. Asks the system if it was missing the last time.
    @inline(never)
    func hasPage(_ number: UInt64) -> Bool {
        guard number < capacity else { return false }
        if number < filePages { return true }
        let pages = Self.pages(descriptor, pageSize)
        known.store(pages, ordering: .relaxed)
        return number < pages
    }

    /// Begins to read pages of the file, without waiting for them.
    func willRead(_ pages: Range<UInt64>) {
        let pages = pages.clamped(to: 0..<min(filePages, capacity))
        guard !pages.isEmpty else { return }
        let start = unsafe UnsafeMutableRawPointer(mutating: base + Int(pages.lowerBound) * pageSize)
        unsafe _ = madvise(start, pages.count * pageSize, CInt(MADV_WILLNEED))
    }

    /// Returns a map of the same file with room for `pages`.
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
