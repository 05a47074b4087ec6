internal import CSetteeStorageFiles
package import StorageProtocol

/// A regular file that is not ours, open for reading. It is not reached through a symbolic link, and nothing but a
/// regular file is opened: a pipe or device might hold the reader up.
package final class OutsideFile {
    package let path: String
    private let file: Descriptor
    private let opened: FileInfo

    /// - Parameters:
    ///   - base: a folder whose path is trusted.
    ///   - name: the file's path from there; none of its parts may be a link.
    /// - Returns: nil where nothing is there.
    /// - Throws: `badParameter` (495) where it is no regular file, `fileSystem` (498), `readOnly` (403).
    package init?(in base: String, _ name: String) throws(StorageError) {
        path = base + "/" + name
        // Opening a device may do something, so it is looked at first.
        guard let info = try Files.info(path, follow: false) else { return nil }
        try OutsideFile.requireFile(info, path)
        let rc = unsafe csf_open_inside(base, name, Int32(CSF_NOFOLLOW), 0)
        if rc == -SystemError.missing { return nil }
        if rc == -SystemError.isSymbolicLink || rc == -SystemError.notDirectory {
            throw OutsideFile.refusal(path, "is reached through a symbolic link")
        }
        file = Descriptor(raw: try check(rc, .reading("open"), path))
        opened = try file.info(path)
        try OutsideFile.requireFile(opened, path)
    }

    private static func requireFile(_ info: FileInfo, _ path: String) throws(StorageError) {
        guard info.isRegular else { throw refusal(path, "is \(info.kind.name)") }
    }

    private static func refusal(_ path: String, _ what: String) -> StorageError {
        StorageError(.badParameter, "'\(path)' \(what), where a file should be. Put the real file in its place.")
    }

    package var size: UInt64 { opened.size }

    /// Whether the file's content was changed since it was opened.
    package func wasChanged() throws(StorageError) -> Bool {
        let now = try file.info(path)
        return now.size != opened.size || now.changed != opened.changed
    }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        try file.read(at: offset, count: count, path)
    }

    private static let piece = 1 << 20

    /// Copies the file. Only its owner can read the copy.
    ///
    /// - Parameter beginning: what the copy has in the place of the file's first bytes.
    package func copy(to target: String, beginning: [UInt8] = []) throws(StorageError) {
        let rc = unsafe csf_open(
            CSF_CWD,
            target,
            Descriptor.Options([.write, .create, .exclusive, .noFollow]).rawValue,
            0o600
        )
        let copy = Descriptor(raw: try check(rc, .writing("make"), target))
        var offset: UInt64 = 0
        while offset < size {
            let bytes = try read(at: offset, count: Int(min(UInt64(OutsideFile.piece), size - offset)))
            if bytes.isEmpty { break }
            try unsafe copy.write(bytes.span.bytes, target)
            offset += UInt64(bytes.count)
        }
        if !beginning.isEmpty { try unsafe copy.write(beginning.span.bytes, at: 0, target) }
    }
}
