internal import StorageProtocol

/// Reads a file that others may be writing.
enum Snapshots {
    /// Runs `body`. If it finds damage and there was a commit in between, runs it again.
    ///
    /// A snapshot's pages stay unchanged until the third commit after it, so one that is read at once is read in full
    /// unless commits follow each other very fast.
    static func settled(
        _ file: PageFile,
        attempts: Int,
        _ body: () throws(PageFault) -> Void
    ) throws(PageFault) {
        for _ in 0..<attempts {
            let before = try fingerprint(file)
            do throws(PageFault) {
                return try body()
            } catch {
                guard case .damage = error else { throw error }
                guard try fingerprint(file) != before else { throw error }
            }
        }
        throw .failure(
            StorageError(
                .busy,
                "Another process commits too often for the data file to be checked. Open the database again a little "
                    + "later."
            )
        )
    }

    /// Returns the meta pages' bytes, which change with every commit.
    private static func fingerprint(_ file: PageFile) throws(PageFault) -> [UInt8] {
        let first = try file.read(MetaPage.length, at: 0)
        let pageSize = first.count == MetaPage.length ? UInt64(first.u32(40)) : 0
        return first + (try file.read(MetaPage.length, at: pageSize))
    }
}
