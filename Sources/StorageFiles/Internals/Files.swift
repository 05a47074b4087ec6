internal import CSetteeStorageFiles
internal import StorageProtocol

/// File operations on paths. Each throws a `StorageError` with the path in its message.
enum Files {
    /// Makes a folder inside of a database folder.
    static func makeDirectory(_ path: String) throws(StorageError) {
        try check(unsafe csf_mkdir_for_owner(path, mode(inFolderOf: path, 0o777)), .writing("make the folder"), path)
    }

    /// - Parameter mode: Nil: as `mode(inFolderOf:_:)` says, and with the owner of the folder that it is in; for
    ///   folders inside of a database folder.
    /// - Returns: False if it already exists.
    static func makeDirectoryIfMissing(_ path: String, mode: Int32? = nil) throws(StorageError) -> Bool {
        let rc =
            if let mode {
                unsafe csf_mkdir(path, mode)
            } else {
                unsafe csf_mkdir_for_owner(path, Files.mode(inFolderOf: path, 0o777))
            }
        if rc == -SystemError.exists { return false }
        try check(rc, .writing("make the folder"), path)
        return true
    }

    static func rename(_ from: String, to: String) throws(StorageError) {
        try check(unsafe csf_rename(from, to), .writing("rename to"), to)
    }

    /// - Throws: `exists` (412) if there is something at `to`.
    static func renameExclusively(_ from: String, to: String) throws(StorageError) {
        try check(unsafe csf_rename_exclusive(from, to), .writing("make"), to)
    }

    /// - Returns: False if there was nothing.
    @discardableResult
    static func remove(_ path: String) throws(StorageError) -> Bool {
        let rc = unsafe csf_unlink(CSF_CWD, path, 0)
        if rc == -SystemError.missing { return false }
        try check(rc, .writing("remove"), path)
        return true
    }

    static func syncDirectory(_ path: String) throws(StorageError) {
        try Descriptor.open(path, .directory).sync(path)
    }

    /// Nil if there is nothing at `path`.
    static func info(_ path: String, follow: Bool = true) throws(StorageError) -> FileInfo? {
        var info = csf_info()
        let rc = unsafe csf_stat(CSF_CWD, path, follow ? 1 : 0, &info)
        if rc == -SystemError.missing || rc == -SystemError.notDirectory { return nil }
        try check(rc, .reading("examine"), path)
        return FileInfo(info)
    }

    static func space(at path: String) throws(StorageError) -> (available: UInt64, isReadOnly: Bool) {
        var space = csf_space()
        try check(unsafe csf_statvfs(path, &space), .reading("examine the file system of"), path)
        return (space.available, space.is_read_only != 0)
    }

    static func mayWrite(_ path: String) -> Bool { unsafe csf_may_write(path) == 0 }

    /// Returns the absolute path without symbolic links; nil if there is nothing.
    static func resolve(_ path: String) throws(StorageError) -> String? {
        try requireUsable(path)
        let capacity = 65_536
        var rc: Int32 = 0
        let resolved = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            rc = unsafe csf_realpath(path, buffer.baseAddress, capacity)
            return rc == 0 ? unsafe String(cString: UnsafePointer(buffer.baseAddress!)) : nil
        }
        if rc == -SystemError.missing || rc == -SystemError.notDirectory { return nil }
        try check(rc, .reading("find"), path)
        return resolved
    }

    /// Rejects a path that is empty or contains a NUL, at which the system would end the path and use another file.
    static func requireUsable(_ path: String) throws(StorageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.badParameter, "A path must not be empty or contain NUL. Give the path of a folder.")
        }
    }

    /// Returns the names in a directory, without `.` and `..`, in no particular order. Names that are not UTF-8 are not
    /// ours and are left out.
    static func names(in path: String) throws(StorageError) -> [String] {
        try names(listing: openDirectory(path, in: Int32(CSF_CWD), path), path)
    }

    static func names(in directory: borrowing Descriptor, _ path: String) throws(StorageError) -> [String] {
        // Listing closes the descriptor that it is given, so it gets one of its own.
        try names(listing: openDirectory(".", in: directory.raw, path), path)
    }

    private static func names(listing directory: Int32, _ path: String) throws(StorageError) -> [String] {
        var names: [String] = []
        try forEachName(listing: directory, path) { (name) throws(StorageError) in
            names.append(name)
            return true
        }
        return names
    }

    /// Passes the names to `body` one by one until it returns false. `body` may remove the entry that it was given.
    static func forEachName(
        in path: String,
        _ body: (String) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try forEachName(listing: openDirectory(path, in: Int32(CSF_CWD), path), path, body)
    }

    private static func openDirectory(_ name: String, in folder: Int32, _ path: String) throws(StorageError) -> Int32 {
        try check(unsafe csf_open(folder, name, Int32(CSF_DIRECTORY), 0), .reading("list"), path)
    }

    /// - Parameter directory: An open directory, which is closed.
    private static func forEachName(
        listing directory: Int32,
        _ path: String,
        _ body: (String) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var failure: Int32 = 0
        guard let list = unsafe csf_list(directory, &failure) else {
            try check(-failure, .reading("list"), path)
            return
        }
        defer { unsafe csf_end_list(list) }
        while true {
            var rc: Int32 = 0
            let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
                rc = unsafe csf_next(list, buffer.baseAddress)
                return rc == 1 ? unsafe String(validatingCString: UnsafePointer(buffer.baseAddress!)) : nil
            }
            guard try check(rc, .reading("list"), path) == 1 else { return }
            if let name, try !body(name) { return }
        }
    }

    /// Creates a file with the content `bytes`, which is on the medium when this returns.
    ///
    /// - Throws: `exists` (412) if the file exists.
    static func makeFile(_ path: String, _ bytes: [UInt8]) throws(StorageError) {
        let file = try Descriptor.open(path, [.write, .create, .exclusive, .noFollow])
        guard !bytes.isEmpty else { return }
        try unsafe file.write(bytes.span.bytes, path)
        try file.sync(path)
    }
}

/// Time and names for the file layer.
package enum Host {
    /// Returns the nanoseconds of a clock that never goes back.
    static func now() -> UInt64 { csf_now() }
    package static func sleep(nanoseconds: UInt64) { csf_sleep(nanoseconds) }
    static var process: Int32 { csf_process() }

    /// Identifies the current run of the system; nil if the system does not provide this.
    static let bootIdentity: String? = {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let file = try? Descriptor.openIfPresent(path), let bytes = try? file.read(at: 0, count: 36, path),
            bytes.count == 36, bytes.allSatisfy({ Hexadecimal.isDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }()

    static var program: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe csf_program(buffer.baseAddress, 256)
            return unsafe String(cString: UnsafePointer(buffer.baseAddress!))
        }
    }

    /// Returns a random UUID (version 4) in its usual form.
    package static func uuid() -> String {
        var digits = Array(uniqueName().utf8)
        digits[12] = UInt8(ascii: "4")
        digits[16] = [UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")][Int(digits[16] & 3)]
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(decoding: digits[$0..<$1], as: UTF8.self) }.joined(separator: "-")
    }

    /// Returns 32 random hexadecimal digits that are unique.
    static func uniqueName() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for _ in 0..<2 {
            var word: UInt64 = generator.next()
            for _ in 0..<16 {
                text.append(digits[Int(word & 15)])
                word >>= 4
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Duration {
    /// Whole nanoseconds: 0 for a negative time, and the largest number if it is exceeded.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carry ? .max : sum
    }
}
