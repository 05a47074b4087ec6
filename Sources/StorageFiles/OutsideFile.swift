internal import CSetteeStorageFiles
package import StorageProtocol

/// A regular file that is not ours, open for reading. It is not reached through a symbolic link, and only a regular
/// file is opened, because a pipe or device could block the reader.
package final class OutsideFile {
    package let path: String
    private let file: Descriptor
    private let opened: FileInfo

    /// - Parameters:
    ///   - base: A folder whose path is trusted.
    ///   - name: The path of the file from there; none of its parts may be a link.
    /// - Returns: Nil if there is nothing.
    /// - Throws: `badParameter` (495) if it is not a regular file, `fileSystem` (498), `readOnly` (403).
    package init?(in base: String, _ name: String) throws(StorageError) {
        path = base + "/" + name
        // Opening a device may have side effects, so the file is checked first.
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

    /// Whether the content of the file has changed since it was opened.
    package func wasChanged() throws(StorageError) -> Bool {
        let now = try file.info(path)
        return now.size != opened.size || now.changed != opened.changed
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end.
    package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        try file.read(at: offset, count: count, path)
    }

    private static let piece = 1 << 20

    /// Copies the file. Only its owner can read the copy.
    ///
    /// - Parameter beginning: Replaces the file's first bytes in the copy.
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
