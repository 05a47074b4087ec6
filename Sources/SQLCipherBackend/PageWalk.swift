internal import StorageProtocol

/// Checks the pages of an encrypted file, one after another.
struct PageWalk {
    /// The number of pages that the file should have: those in its length, a partial one included, or those counted in
    /// its header if they are more.
    let count: UInt64
    private let read: (_ number: UInt32) -> [UInt8]?

    /// The page that is never written: the position of SQLite's locks, 1 GiB into the file.
    static let lockPage = UInt32((1 << 30) / PageSeal.pageSize) + 1
    /// The maximum number of problems: each takes a line of the report.
    static let mostProblems = 1000
    /// Pages between two reports of progress.
    private static let pagesAtOnce: UInt64 = 4096

    /// - Parameter read: Returns a page; nil if there is none, or only zeros.
    init(length: UInt64, used: UInt64, read: @escaping (_ number: UInt32) -> [UInt8]?) {
        let size = UInt64(PageSeal.pageSize)
        count = min(max((length / size) + (length % size == 0 ? 0 : 1), used), UInt64(UInt32.max))
        self.read = read
    }

    /// Returns the seal with the codes' key, derived with the salt at the beginning of the file. Nil if it cannot be
    /// read.
    func seal(_ key: StorageKey) -> PageSeal? {
        read(1).map { PageSeal(key, salt: $0.prefix(PageSeal.saltLength)) }
    }

    /// Returns the pages that are missing, or not as they were written.
    ///
    /// - Parameter progress: Called with the number of pages done.
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

    /// Whether a page is as it was written. A checkpoint may be writing it, so it is read again if it is not.
    func isWhole(_ number: UInt32, _ seal: PageSeal) -> Bool {
        (0..<3).contains { _ in read(number).map { seal.isWhole($0, number: number) } ?? false }
    }
}

/// Checks the pages in the frames of a log. Layout: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
struct LogWalk {
    let frames: UInt32
    /// Reads this number of bytes of the log at an offset; nil if the log is shorter.
    let read: (_ count: Int, _ offset: UInt64) -> [UInt8]?

    private static let header: UInt64 = 32
    private static let frameHeader = 24

    /// Returns the frames, from 1, whose pages are not as they were written.
    ///
    /// - Parameter found: Called with the number of each page that is as it was written.
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
                // All of it was in the file, and a writer has begun the log again in the meantime.
                begun = salts()
                (frame, damaged) = (0, [])
                restarts += 1
            } else {
                damaged.append(frame)
            }
        }
        return damaged
    }

    /// Returns the number of the page in a frame; nil if it is not as it was written.
    private func page(in frame: UInt32, _ seal: PageSeal) -> UInt32? {
        let length = LogWalk.frameHeader + PageSeal.pageSize
        guard let bytes = read(length, LogWalk.header + UInt64(frame - 1) * UInt64(length)) else { return nil }
        let number = bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return seal.isWhole(Array(bytes[LogWalk.frameHeader...]), number: number) ? number : nil
    }

    private func salts() -> [UInt8]? { read(8, 16) }
}
