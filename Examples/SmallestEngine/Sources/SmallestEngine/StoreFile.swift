import Foundation
internal import StorageEngineKit
import StorageProtocol

/// The file that holds a store. Its folder is locked as long as this object lives.
///
/// The file is `ByteCoding.pack` of four parts: "smallest engine", the number of the format, the checksum of the last
/// part, and the content as `SortedBytes` packs it.
final class StoreFile: Sendable {
    private static let name = "store"
    /// What a commit writes first. One that a kill has left is written over by the next.
    private static let newName = "store.new"
    private static let mark = Array("smallest engine".utf8)
    private static let format: UInt64 = 1
    /// No store is larger, in bytes: more memory is not asked for, whatever size a file has.
    private static let largest = 1 << 30

    private let directory: String
    private let folder: Int32

    /// - Throws: `inUse` (423) where somebody has it open, `fileSystem` (498).
    init(directory: String, isLocked: Bool) throws(StorageError) {
        self.directory = directory
        folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw StoreFile.failure("The folder '\(directory)' cannot be opened", .fileSystem) }
        if isLocked, flock(folder, LOCK_EX | LOCK_NB) != 0 {
            throw StorageError(.inUse, "The store in '\(directory)' is open already. Close it there first.")
        }
    }

    deinit {
        guard folder >= 0 else { return }
        // A process that is just being started has a copy of the descriptor, and would keep the lock with it.
        _ = flock(folder, LOCK_UN)
        _ = Foundation.close(folder)
    }

    /// Whether nothing else is in the folder.
    func isAlone() throws(StorageError) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw StorageError(.fileSystem, "The folder '\(directory)' cannot be listed. Look at its permissions.")
        }
        return names.allSatisfy { $0 == StoreFile.newName }
    }

    func size() throws(StorageError) -> UInt64 {
        var facts = stat()
        guard fstatat(folder, StoreFile.name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw StoreFile.failure("The store's file cannot be looked at", .storage)
        }
        return UInt64(facts.st_size)
    }

    /// What the file holds; nil where there is none.
    func load() throws(StorageError) -> SortedBytes? {
        // Through no link, and waiting for no pipe.
        let file = openat(folder, StoreFile.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw StoreFile.failure("The store's file cannot be opened", .fileSystem) }
        defer { _ = Foundation.close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw StorageError(
                .unsupportedFormat,
                "What is called '\(StoreFile.name)' in the store's folder is no file."
            )
        }
        guard facts.st_size <= StoreFile.largest else { throw .corrupt("The store's file is larger than any store") }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + count, $0.count - count) }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw StoreFile.failure("The store's file cannot be read", .storage) }
            guard more > 0 else { throw .corrupt("The store's file ends early") }
            count += more
        }
        let parts = try ByteCoding.unpack(bytes, count: 4)
        guard parts[0] == StoreFile.mark, try ByteCoding.number(parts[1]) == StoreFile.format else {
            throw StorageError(.unsupportedFormat, "The store has another format. Use the program that made it.")
        }
        guard parts[2] == StoreFile.checksum(parts[3]) else { throw .corrupt("The store's file has changed by itself") }
        return try SortedBytes(packed: parts[3])
    }

    /// Puts a file with this content in the place of the old one. Both are synced, the file before it gets its name and
    /// the folder after that: power loss leaves the old content or the new one.
    func save(_ content: SortedBytes) throws(StorageError) {
        let packed = content.packed
        let format = ByteCoding.bytes(StoreFile.format)
        let bytes = ByteCoding.pack([StoreFile.mark, format, StoreFile.checksum(packed), packed])
        guard bytes.count <= StoreFile.largest else {
            throw StorageError(.full, "The store would be larger than 1 GiB. Use an engine for large ones.")
        }
        _ = unlinkat(folder, StoreFile.newName, 0)
        let file = openat(folder, StoreFile.newName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw StoreFile.failure("A file cannot be made in the store's folder", .storage) }
        defer { _ = Foundation.close(file) }
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeBytes { write(file, $0.baseAddress! + count, $0.count - count) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { throw StoreFile.failure("The store's file cannot be written", .storage) }
            count += more
        }
        guard StoreFile.sync(file), renameat(folder, StoreFile.newName, folder, StoreFile.name) == 0,
            StoreFile.sync(folder)
        else { throw StoreFile.failure("The store's file cannot be put in its place", .storage) }
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        ByteCoding.bytes(ByteHash.of(bytes.span.bytes, seed: 0))
    }

    /// Has what was written survive power loss.
    private static func sync(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// What the system's last error is here; `code` where none fits better.
    private static func failure(_ what: String, _ code: StorageError.Code) -> StorageError {
        let reason = errno
        let codes: [Int32: StorageError.Code] = [
            ENOSPC: .full, EDQUOT: .full, EROFS: .readOnly, EACCES: .readOnly, ELOOP: .unsupportedFormat,
        ]
        return StorageError(codes[reason] ?? code, "\(what): \(String(cString: strerror(reason))).")
    }
}
