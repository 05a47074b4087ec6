internal import SetteeSystemLibrary
internal import StorageProtocol

/// What is known about a file's last commit from outside of it. This distinguishes a commit that failed at its meta
/// page, which is no loss, from an acknowledged one whose meta page was damaged.
struct LastCommit {
    /// LMDB's reader table begins with two words and the readers' lock, followed by the number of the last commit.
    private static let transactionOffset = unsafe 8 + MemoryLayout<pthread_mutex_t>.stride
    private static let tableMagic = MetaPage.magic
    private static let tableVersion: UInt32 = 1

    /// The highest number that is recorded; nil if there is none.
    let transaction: UInt64?

    /// - Parameters:
    ///   - path: The data file.
    ///   - usesReaders: Whether the reader table may be read: closing it ends the locks that this process has on it.
    init(beside path: String, usesReaders: Bool) {
        let folder = LMDBFolder.folder(of: path)
        let table = usesReaders ? Self.read(folder + "/" + LMDBFolder.lockName) : nil
        transaction = [SuspectMark.acknowledged(in: folder), table].compactMap { $0 }.max()
    }

    /// LMDB writes it after the meta page. The first process that opens the file writes it again.
    private static func read(_ path: String) -> UInt64? {
        guard let file = try? PageFile(path: path),
            let bytes = try? file.read(transactionOffset + 8, at: 0), bytes.count == transactionOffset + 8,
            bytes.u32(0) == tableMagic, bytes.u32(4) & 0xFFFF == tableVersion
        else { return nil }
        return bytes.u64(transactionOffset)
    }
}
