internal import Foundation
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The text of an export in a file, with random access.
final class ExportFile: Sendable {
    private let descriptor: Int32
    let length: UInt64
    /// When the content was last changed, to detect a change during the import.
    private let stamp: [Int]

    /// Opens a file that must not change.
    ///
    /// - Throws: `fileSystem` (498) if it cannot be opened, or is not a regular file.
    convenience init(path: String) throws(StorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExportFile.failure("The export '\(path)' could not be opened") }
        try self.init(descriptor: descriptor)
    }

    /// Creates a file without a name in `directory` with everything that `piece` returns until it returns nil. Only its
    /// owner can read it. It is removed with this object, or with the process.
    convenience init(
        spoolingIn directory: String,
        _ piece: () throws(StorageError) -> [UInt8]?
    ) throws(StorageError) {
        let path = directory + "/.settee-import-" + UUID().uuidString.lowercased()
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFile.failure("A file beside the database could not be made") }
        _ = unsafe unlink(path)
        do {
            while let bytes = try piece() { try ExportFile.write(bytes, to: descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        try self.init(descriptor: descriptor)
    }

    private init(descriptor: Int32) throws(StorageError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw StorageError(.fileSystem, "The export is not a regular file. Give it as a stream instead.")
        }
        self.descriptor = descriptor
        length = UInt64(clamping: status.st_size)
        stamp = ExportFile.stamp(status)
    }

    deinit { close(descriptor) }

    private static func stamp(_ status: stat) -> [Int] {
        #if canImport(Darwin)
        [Int(status.st_size), status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
        #else
        [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        #endif
    }

    /// - Throws: `fileSystem` (498) if the file has changed since it was opened.
    func checkUnchanged() throws(StorageError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, ExportFile.stamp(status) == stamp else {
            throw StorageError(
                .fileSystem,
                "The export was changed while it was read. Nothing was taken; import it again."
            )
        }
    }

    /// Adds up to `count` bytes from `offset` to `bytes`; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        var filled = 0
        let start = bytes.count
        bytes.append(contentsOf: [UInt8](repeating: 0, count: count))
        while filled < count {
            let place = filled
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + start + place },
                    count - place,
                    off_t(clamping: offset + UInt64(place))
                )
            }
            if got == 0 { break }
            if got > 0 {
                filled += got
            } else if errno != EINTR {
                throw ExportFile.failure("The export could not be read")
            }
        }
        bytes.removeLast(count - filled)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let place = written
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(descriptor, buffer.baseAddress.map { unsafe $0 + place }, buffer.count - place)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw failure("The text of the import could not be kept")
            }
        }
    }

    private static func failure(_ what: String) -> StorageError {
        let number = errno
        let reason = unsafe String(cString: strerror(number))
        return StorageError(number == ENOSPC || number == EDQUOT ? .full : .fileSystem, "\(what): \(reason).")
    }
}

/// `write`, under a name that `ExportFile.write` does not shadow.
@unsafe
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
