#if Sync
internal import Foundation
internal import Settee

/// A file that holds a password or a token in its only line.
enum SecretFile {
    private static let longest = 64 << 10

    /// Returns what the file holds. Warns if others can read the file.
    ///
    /// - Parameter path: `-` means standard input.
    /// - Throws: `badParameter` (495) if it is empty, too long or more than a line of text.
    static func read(_ path: String, asJSON: Bool) throws(StorageError) -> String {
        let input = try InputFile(path: path)
        var bytes: [UInt8] = []
        while bytes.count <= longest, let more = try input.read() { bytes += more }
        if input.length != nil { warn(path, asJSON: asJSON) }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.count <= longest, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw StorageError(.badParameter, "'\(path)' does not hold a password or token: one line of text in UTF-8.")
        }
        return text
    }

    private static func warn(_ path: String, asJSON: Bool) {
        guard let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int,
            mode & 0o044 != 0
        else { return }
        let digits = String(mode & 0o777, radix: 8)
        Failure.note("'\(path)' can be read by others (mode \(digits)). Run chmod 600 on it.", asJSON: asJSON)
    }
}
#endif
