internal import CSetteeStorageFiles
internal import StorageProtocol

/// An entry in a database folder. A folder may come from anywhere, so its entries are never reached through a link, and
/// only regular files and folders are opened: through a link a file outside would be read, written or locked, and
/// opening a pipe may wait forever. The path of the database folder itself comes from the user and may lead through
/// links.
struct FolderEntry {
    /// The database folder, or another folder whose path is trusted.
    let base: String
    /// The path from there.
    let name: String

    var path: String { base + "/" + name }

    /// Opens a regular file.
    ///
    /// - Parameter isWritten: Whether it must have no second name, because that may belong to something else.
    /// - Returns: Nil if there is nothing and `options` do not create it.
    /// - Throws: `corrupt` (591) if it is anything but a file, or is reached through a link.
    func openFile(
        _ options: Descriptor.Options = [],
        isWritten: Bool = false
    ) throws(StorageError) -> Descriptor? {
        // Opening a device may have side effects, so the entry is also checked before.
        let known = try info()
        if let known { try requireFile(known, isWritten) }
        guard let opened = try open(known == nil ? options : options.subtracting(.exclusive)) else { return nil }
        try requireFile(opened.info(path), isWritten)
        return opened
    }

    /// Opens a regular file for writing, and creates it if there is nothing.
    ///
    /// - Throws: As `openFile`.
    func openOrMakeFile(isWritten: Bool = false) throws(StorageError) -> Descriptor {
        guard let opened = try openFile([.write, .create], isWritten: isWritten) else {
            throw StorageError(.unexpected, "Cannot make '\(path)'.")
        }
        return opened
    }

    /// Opens a folder; nil if there is nothing.
    ///
    /// - Throws: `corrupt` (591) if it is anything else.
    func openFolder() throws(StorageError) -> Descriptor? {
        guard try isFolder() else { return nil }
        return try open(.directory)
    }

    /// Whether there is a folder; false if there is nothing.
    ///
    /// - Throws: `corrupt` (591) if it is anything else.
    @discardableResult
    func isFolder() throws(StorageError) -> Bool {
        guard let info = try info() else { return false }
        guard info.isDirectory else { throw FolderEntry.refusal(path, info.kind, wanted: .folder) }
        return true
    }

    /// Returns what is known about a regular file; nil if there is nothing.
    ///
    /// - Throws: As `openFile`.
    func fileInfo(isWritten: Bool = false) throws(StorageError) -> FileInfo? {
        guard let info = try info() else { return nil }
        try requireFile(info, isWritten)
        return info
    }

    /// Returns information about the entry itself, without following links; nil if there is nothing. Every entry on the
    /// way must be a folder.
    private func info() throws(StorageError) -> FileInfo? {
        var end = name.startIndex
        while let slash = name[end...].firstIndex(of: "/") {
            guard try FolderEntry(base: base, name: String(name[..<slash])).isFolder() else { return nil }
            end = name.index(after: slash)
        }
        return try Files.info(path, follow: false)
    }

    private func open(_ options: Descriptor.Options) throws(StorageError) -> Descriptor? {
        let mode = options.contains(.create) ? Files.mode(inFolderOf: path, 0o666) : 0
        let rc =
            name.utf8.contains(UInt8(ascii: "/"))
            ? unsafe csf_open_inside(base, name, options.rawValue, mode)
            : unsafe csf_open(CSF_CWD, path, options.union(.noFollow).rawValue, mode)
        if rc == -SystemError.missing, !options.contains(.create) { return nil }
        if rc == -SystemError.isSymbolicLink { throw FolderEntry.refusal(path, .link, wanted: .file) }
        return Descriptor(raw: try check(rc, options.contains(.write) ? .writing("open") : .reading("open"), path))
    }

    private func requireFile(_ info: FileInfo, _ isWritten: Bool) throws(StorageError) {
        guard info.isRegular else { throw FolderEntry.refusal(path, info.kind, wanted: .file) }
        guard !isWritten || info.links <= 1 else {
            throw StorageError(
                .corrupt,
                "'\(path)' has a second name (a hard link), which may be another program's file: nothing was written "
                    + "to it. "
                    + "Copy it, and put the copy in its place."
            )
        }
    }

    private static func refusal(_ path: String, _ kind: FileKind, wanted: FileKind) -> StorageError {
        StorageError(
            .corrupt,
            "'\(path)' is \(kind.name), not \(wanted.name): it was not opened. No program of ours puts one into a "
                + "database "
                + "folder. If you do not know where it comes from, do not use this folder; else put the real "
                + "\(wanted == .folder ? "folder" : "file") in its place."
        )
    }
}
