internal import SetteeSystemLibrary
internal import StorageProtocol

/// The meta page that a commit could not write. LMDB restores the previous transaction number and last page number of
/// the page, but leaves the roots of the failed commit beside them.
enum FailedMetaPage {
    /// The part that a commit writes, except for the transaction's number.
    private static let content = 32..<144

    /// Gives the page the roots of the last commit, under the number that it has, so that it names no page that the
    /// next commit uses. Errors are ignored: a disk that fails may refuse this too.
    ///
    /// The caller must be the only writer in all processes.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - transaction: The commit that failed.
    static func settle(path: String, failed transaction: UInt64) {
        guard transaction > 0, let file = try? PageFile(path: path), let metas = try? MetaPages(file),
            metas.newest.transaction == transaction - 1,
            let bytes = try? file.read(MetaPage.length, at: offset(of: metas.newest)), bytes.count == MetaPage.length
        else { return }
        let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        let start = off_t(offset(of: metas.older)) + off_t(content.lowerBound)
        unsafe bytes[content].withUnsafeBytes { content in
            unsafe _ = pwrite(descriptor, content.baseAddress, content.count, start)
        }
        _ = fsync(descriptor)
    }

    private static func offset(of meta: MetaPage) -> UInt64 { UInt64(meta.index * meta.pageSize) }
}
