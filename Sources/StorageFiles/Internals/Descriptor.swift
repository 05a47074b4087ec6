internal import CSetteeStorageFiles
internal import StorageProtocol

/// An open file or directory, closed when this value is destroyed.
struct Descriptor: ~Copyable, Sendable {
    let raw: Int32

    struct Options: OptionSet {
        let rawValue: Int32
        static let write = Options(rawValue: Int32(CSF_WRITE))
        static let create = Options(rawValue: Int32(CSF_CREATE))
        static let exclusive = Options(rawValue: Int32(CSF_EXCLUSIVE))
        static let directory = Options(rawValue: Int32(CSF_DIRECTORY))
        static let noFollow = Options(rawValue: Int32(CSF_NOFOLLOW))
    }

    init(raw: Int32) { self.raw = raw }

    deinit { _ = csf_close(raw) }

    /// - Parameter mode: Of a file that is created; nil: as `Files.mode(inFolderOf:_:)` says.
    static func open(
        _ path: String,
        _ options: Options = [],
        mode: Int32? = nil
    ) throws(StorageError) -> Descriptor {
        let usual = { options.contains(.create) ? Files.mode(inFolderOf: path, 0o666) : 0 }
        let rc = unsafe csf_open(CSF_CWD, path, options.rawValue, mode ?? usual())
        return Descriptor(raw: try check(rc, options.contains(.write) ? .writing("open") : .reading("open"), path))
    }

    /// Nil if there is nothing at `path`.
    static func openIfPresent(_ path: String, _ options: Options = []) throws(StorageError) -> Descriptor? {
        let rc = unsafe csf_open(CSF_CWD, path, options.rawValue, 0)
        if rc == -SystemError.missing { return nil }
        return Descriptor(raw: try check(rc, options.contains(.write) ? .writing("open") : .reading("open"), path))
    }

    func info(_ path: String) throws(StorageError) -> FileInfo {
        var info = csf_info()
        try check(unsafe csf_fstat(raw, &info), .reading("examine"), path)
        return FileInfo(info)
    }

    /// Forces what was written (for a directory: its entries) to the medium.
    func sync(_ path: String) throws(StorageError) {
        try check(csf_sync(raw), .writing("sync"), path)
    }

    /// Begins to bring these bytes, which were written before, to the medium. They are there only after `sync`. Nothing
    /// happens where the system has no such call.
    func beginWriteBack(_ range: Range<UInt64>, _ path: String) throws(StorageError) {
        try check(
            csf_begin_write_back(raw, range.lowerBound, range.upperBound - range.lowerBound),
            .writing("sync"),
            path
        )
    }

    /// Prevents the file from being opened for writing from now on.
    func makeReadOnly(_ path: String) throws(StorageError) {
        try check(csf_make_read_only(raw), .writing("protect"), path)
    }

    func write(_ bytes: RawSpan, at offset: UInt64? = nil, _ path: String) throws(StorageError) {
        let rc = unsafe bytes.withUnsafeBytes { buffer in
            if let offset { return unsafe csf_pwrite(raw, buffer.baseAddress, buffer.count, offset) }
            return unsafe csf_write(raw, buffer.baseAddress, buffer.count)
        }
        try check(rc, .writing("write"), path)
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int, _ path: String) throws(StorageError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = offset.addingReportingOverflow(UInt64(filled))
                guard !start.overflow else { return }
                let rc = unsafe csf_pread(raw, buffer.baseAddress! + filled, count - filled, start.partialValue)
                guard rc > 0 else {
                    failure = Int32(rc)
                    return
                }
                filled += rc
            }
        }
        try check(failure, .reading("read"), path)
        return bytes
    }
}

/// What is known about a file without reading it.
struct FileInfo: Equatable {
    var identity: FileIdentity
    var size: UInt64
    var allocated: UInt64
    var links: UInt64
    /// Changes with the content, the permissions and the number of names.
    var changed: Int64
    /// The permissions.
    var mode: Int32
    var owner: UInt32
    var group: UInt32
    var kind: FileKind
    var isDirectory: Bool { kind == .folder }
    var isRegular: Bool { kind == .file }

    init(_ info: csf_info) {
        identity = FileIdentity(device: info.device, inode: info.inode)
        size = info.size
        allocated = info.allocated
        links = info.links
        changed = info.changed
        mode = info.mode
        owner = info.owner
        group = info.group
        kind = FileKind(rawValue: info.kind) ?? .other
    }
}

/// The kind of a directory entry.
enum FileKind: Int32 {
    case other, file, folder, link, pipe, socket, device

    /// The name of the kind, for use in a sentence.
    var name: String {
        switch self {
        case .other: "a special file"
        case .file: "a file"
        case .folder: "a folder"
        case .link: "a symbolic link"
        case .pipe: "a pipe"
        case .socket: "a socket"
        case .device: "a device"
        }
    }
}

/// Identifies a file or folder by whatever path it is reached: two paths with one identity lead to the same folder.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
}
