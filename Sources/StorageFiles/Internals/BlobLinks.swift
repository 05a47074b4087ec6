internal import CSetteeStorageFiles
internal import StorageProtocol

/// Fills a blob generation with the files of another one, as links, or as copies if the file system cannot link.
enum BlobLinks {
    /// Adds the files that `target` lacks. Both are blob directories; the trash is left out.
    static func bring(_ target: String, upTo source: String) throws(StorageError) {
        for group in try Files.names(in: source) where BlobName.isGroup(group) {
            guard try FolderEntry(base: source, name: group).isFolder() else { continue }
            let to = target + "/" + group
            _ = try Files.makeDirectoryIfMissing(to)
            var changed = false
            for name in try Files.names(in: source + "/" + group) where BlobName.isValid(name) {
                if try bring(FolderEntry(base: source, name: group + "/" + name), to: to + "/" + name, staging: target)
                {
                    changed = true
                }
            }
            if changed { try Files.syncDirectory(to) }
        }
        try Files.syncDirectory(target)
    }

    /// Links or copies one file.
    ///
    /// - Parameters:
    ///   - staging: A folder for partly copied files.
    ///   - mayLink: False: always copy.
    /// - Returns: False if the file already exists.
    static func bring(
        _ from: FolderEntry,
        to: String,
        staging: String,
        mayLink: Bool = true
    ) throws(StorageError) -> Bool {
        guard mayLink else {
            guard try Files.info(to) == nil else { return false }
            try copy(from, to: to, staging: staging)
            return true
        }
        // Not every system's link function leaves symbolic links alone.
        guard let info = try from.fileInfo() else { return false }
        let rc = unsafe csf_link(from.path, to)
        switch -rc {
        case SystemError.exists:
            guard let present = try Files.info(to, follow: false), present.identity != info.identity else {
                return false
            }
            return try replace(to, with: from, staging: staging)
        case SystemError.crossDevice, SystemError.notPermitted, SystemError.tooManyLinks, SystemError.notSupported:
            try copy(from, to: to, staging: staging)
        default: try check(rc, .writing("link"), to)
        }
        return true
    }

    /// Replaces a file. A damaged blob may have been repaired since it was linked; its name then stands for another
    /// file.
    ///
    /// - Returns: False if the file system cannot link, and the copy may stay.
    private static func replace(
        _ to: String,
        with from: FolderEntry,
        staging: String
    ) throws(StorageError) -> Bool {
        let path = staging + "/" + Staging.name()
        guard unsafe csf_link(from.path, path) == 0 else { return false }
        try Files.rename(path, to: to)
        return true
    }

    private static func copy(_ entry: FolderEntry, to: String, staging: String) throws(StorageError) {
        let from = entry.path
        guard let source = try entry.openFile() else {
            try check(-SystemError.missing, .reading("open"), from)
            return
        }
        let (path, lock) = try Staging.makeFile(in: staging)
        defer { lock.release() }
        do {
            var offset: UInt64 = 0
            while true {
                let piece = try source.read(at: offset, count: BlobName.pieceSize, from)
                if piece.isEmpty { break }
                try unsafe lock.descriptor.write(piece.span.bytes, path)
                offset += UInt64(piece.count)
            }
            try lock.descriptor.makeReadOnly(path)
            try lock.descriptor.sync(path)
            try Files.rename(path, to: to)
        } catch {
            _ = try? Files.remove(path)
            throw error
        }
    }
}

/// The names of blobs: 64 hexadecimal digits, in folders named by the first two.
enum BlobName {
    /// How many bytes are read or written at a time.
    static let pieceSize = 1 << 18

    static func isValid(_ name: String) -> Bool { name.utf8.count == 64 && isHexadecimal(name) }
    static func isGroup(_ name: String) -> Bool { name.utf8.count == 2 && isHexadecimal(name) }
    static func group(_ name: String) -> String { String(name.prefix(2)) }

    private static func isHexadecimal(_ name: String) -> Bool {
        name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
