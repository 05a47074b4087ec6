#if Sync
internal import Foundation
internal import Settee

/// A file that holds a password, a token, or several secrets as JSON.
enum SecretFile {
    private static let longest = 64 << 10

    /// Returns the only line of a file. Warns if others can read the file.
    ///
    /// - Parameter path: `-` means standard input.
    /// - Throws: `badParameter` (495) if it is empty, too long or more than a line of text.
    static func read(_ path: String, asJSON: Bool) throws(StorageError) -> String {
        var bytes = try contents(path, asJSON: asJSON)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.count <= longest, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw StorageError(.badParameter, "'\(path)' does not hold a password or token: one line of text in UTF-8.")
        }
        return text
    }

    /// Returns the text members of the JSON object in a file. Warns if others can read the file.
    ///
    /// - Throws: `badParameter` (495) if it is no object, or one of `names` is missing.
    static func members(
        _ path: String,
        _ names: [String],
        asJSON: Bool
    ) throws(StorageError) -> [String: String] {
        let bytes = try contents(path, asJSON: asJSON)
        guard bytes.count <= longest, let object = (try? JSONValue(parsing: bytes))?.objectValue else {
            throw StorageError(.badParameter, "'\(path)' does not hold a JSON object.")
        }
        var found: [String: String] = [:]
        for (name, value) in object { found[name] = value.stringValue }
        guard let missing = names.first(where: { found[$0] == nil }) else { return found }
        throw StorageError(.badParameter, "The JSON object in '\(path)' has no text as '\(missing)'.")
    }

    /// At most a piece more than the longest.
    private static func contents(_ path: String, asJSON: Bool) throws(StorageError) -> [UInt8] {
        let input = try InputFile(path: path)
        let bytes = try input.readAll(limit: longest + 1)
        if input.length != nil { warn(path, asJSON: asJSON) }
        return bytes
    }

    /// Warns if others can read a file.
    static func warn(_ path: String, asJSON: Bool) {
        guard let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int,
            mode & 0o044 != 0
        else { return }
        let digits = String(mode & 0o777, radix: 8)
        Failure.note("'\(path)' can be read by others (mode \(digits)). Run chmod 600 on it.", asJSON: asJSON)
    }
}
#endif
