internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A file that contains a key.
enum KeyFile {
    /// Includes the line end after the passphrase.
    private static let longest = StorageKey.longestPassphrase + 2

    /// Returns the file's key. Warns if others can read the file.
    static func read(_ path: String, asJSON: Bool) throws(StorageError) -> StorageKey {
        let name = "The key file '\(path)'"
        // If it is not a regular file, it must neither block the program nor become its terminal.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError.make("\(name) could not be opened", SystemError.last) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw SystemError.make("\(name) could not be read", SystemError.last)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StorageError(
                .fileSystem,
                "\(name) is no regular file. Write the key into one, or give it in a variable."
            )
        }
        if status.st_mode & (S_IRGRP | S_IROTH) != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            Failure.note("\(name) can be read by others (mode \(mode)). Run chmod 600 on it.", asJSON: asJSON)
        }
        return try unsafe WipedBuffer.with(longest + 1) { (buffer) throws(StorageError) in
            let count = try unsafe fill(buffer, descriptor, name)
            guard count <= longest else {
                throw StorageError(
                    .badParameter,
                    "\(name) is too long: a passphrase has at most \(StorageKey.longestPassphrase) bytes."
                )
            }
            return try unsafe KeyText.key(ofFile: UnsafeBufferPointer(buffer).span.extracting(first: count), in: name)
        }
    }

    /// Reads to the end, or until the buffer is full.
    private static func fill(
        _ buffer: UnsafeMutableBufferPointer<UInt8>,
        _ descriptor: Int32,
        _ name: String
    ) throws(StorageError) -> Int {
        var count = 0
        while count < buffer.count {
            let more = unsafe systemRead(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            if more == 0 { break }
            if more > 0 {
                count += more
            } else if SystemError.last != EINTR {
                throw SystemError.make("\(name) could not be read", SystemError.last)
            }
        }
        return count
    }
}
