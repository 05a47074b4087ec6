internal import StorageProtocol

/// A look at the pages of an encrypted file, one after another.
struct PageWalk {
    /// Pages that the file should have: whole ones that it is long, and those that its header speaks of.
    let count: UInt64
    private let read: (_ number: UInt32) -> [UInt8]?

    /// The page that is never written: the place of SQLite's locks, 1 GiB into the file.
    static let lockPage = UInt32((1 << 30) / PageSeal.pageSize) + 1
    /// More are not looked for: each takes a line of the report.
    static let mostProblems = 1000
    /// Pages between two reports of progress.
    private static let pagesAtOnce: UInt64 = 4096

    /// - Parameter read: a page; nil where there is none, or one of zeros.
    init(length: UInt64, used: UInt64, read: @escaping (_ number: UInt32) -> [UInt8]?) {
        let size = UInt64(PageSeal.pageSize)
        count = min(max((length / size) + (length % size == 0 ? 0 : 1), used), UInt64(UInt32.max))
        self.read = read
    }

    /// The codes' key, by the salt that the file begins with. Nil: it cannot be read.
    func seal(_ key: StorageKey) -> PageSeal? {
        read(1).map { PageSeal(key, salt: $0.prefix(PageSeal.saltLength)) }
    }

    /// The pages that are not as they were written, or not there.
    ///
    /// - Parameter progress: gets the number of pages done.
    func damaged(
        _ seal: PageSeal,
        from first: UInt64 = 1,
        progress: (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> Set<UInt32> {
        var damaged: Set<UInt32> = []
        var number = first
        while number <= count, damaged.count <= PageWalk.mostProblems {
            if number % PageWalk.pagesAtOnce == 1 { try progress(number - 1) }
            let page = UInt32(clamping: number)
            if page != PageWalk.lockPage, !isWhole(page, seal) { damaged.insert(page) }
            number += 1
        }
        return damaged
    }

    /// Whether a page is as it was written. A checkpoint may be writing it, so that it is looked at again.
    func isWhole(_ number: UInt32, _ seal: PageSeal) -> Bool {
        (0..<3).contains { _ in read(number).map { seal.isWhole($0, number: number) } ?? false }
    }
}

/// A look at the pages in the frames of a log.
/// Layout: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
struct LogWalk {
    let frames: UInt32
    /// So many bytes of the log at an offset; nil where it does not have them.
    let read: (_ count: Int, _ offset: UInt64) -> [UInt8]?

    private static let header: UInt64 = 32
    private static let frameHeader = 24

    /// The frames, from 1, whose pages are not as they were written.
    ///
    /// - Parameter found: gets the number of each page that is.
    func damaged(_ seal: PageSeal, found: (UInt32) -> Void) -> [UInt32] {
        var begun = salts()
        var damaged: [UInt32] = []
        var frame: UInt32 = 0
        var restarts = 0
        while frame < frames, damaged.count <= PageWalk.mostProblems {
            frame += 1
            if let page = page(in: frame, seal) {
                found(page)
            } else if salts() != begun, restarts < 3 {
                // All of it was in the file, and a writer has begun it anew meanwhile.
                begun = salts()
                (frame, damaged) = (0, [])
                restarts += 1
            } else {
                damaged.append(frame)
            }
        }
        return damaged
    }

    /// The number of the page in a frame; nil where it is not as it was written.
    private func page(in frame: UInt32, _ seal: PageSeal) -> UInt32? {
        let length = LogWalk.frameHeader + PageSeal.pageSize
        guard let bytes = read(length, LogWalk.header + UInt64(frame - 1) * UInt64(length)) else { return nil }
        let number = bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return seal.isWhole(Array(bytes[LogWalk.frameHeader...]), number: number) ? number : nil
    }

    private func salts() -> [UInt8]? { read(8, 16) }
}
