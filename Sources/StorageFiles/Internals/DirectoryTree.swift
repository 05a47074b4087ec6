internal import CSetteeStorageFiles
internal import StorageProtocol

/// Operations on whole directory trees. Symbolic links are never followed.
enum DirectoryTree {
    /// Removes a directory with all its content. It is not an error if something has already been removed.
    static func remove(_ path: String) throws(StorageError) {
        guard let directory = try Descriptor.openIfPresent(path, [.directory, .noFollow]) else { return }
        try empty(directory, path)
        let rc = unsafe csf_unlink(CSF_CWD, path, 1)
        if rc != -SystemError.missing { try check(rc, .writing("remove"), path) }
    }

    private static func empty(_ directory: borrowing Descriptor, _ path: String) throws(StorageError) {
        for name in try Files.names(in: directory, path) {
            let child = path + "/" + name
            var info = csf_info()
            var rc = unsafe csf_stat(directory.raw, name, 0, &info)
            if rc == -SystemError.missing { continue }
            try check(rc, .reading("examine"), child)
            let isDirectory = FileInfo(info).isDirectory
            if isDirectory {
                let options: Descriptor.Options = [.directory, .noFollow]
                rc = unsafe csf_open(directory.raw, name, options.rawValue, 0)
                if rc == -SystemError.missing { continue }
                try empty(Descriptor(raw: try check(rc, .reading("open"), child)), child)
            }
            rc = unsafe csf_unlink(directory.raw, name, isDirectory ? 1 : 0)
            if rc != -SystemError.missing { try check(rc, .writing("remove"), child) }
        }
    }

    /// Returns how many bytes the files of a tree occupy. A file removed in the meantime may or may not count.
    static func size(of path: String) throws(StorageError) -> UInt64 {
        var total: UInt64 = 0
        for name in try Files.names(in: path) {
            let child = path + "/" + name
            guard let info = try Files.info(child, follow: false) else { continue }
            let (sum, overflow) = total.addingReportingOverflow(
                info.isDirectory ? try sizeIfPresent(child) : info.allocated
            )
            total = overflow ? .max : sum
        }
        return total
    }

    private static func sizeIfPresent(_ path: String) throws(StorageError) -> UInt64 {
        do {
            return try size(of: path)
        } catch  where error.errno == SystemError.missing {
            return 0
        }
    }
}
