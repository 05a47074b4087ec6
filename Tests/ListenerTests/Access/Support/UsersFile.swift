internal import Foundation
internal import StorageProtocol

@testable internal import SetteeListener

/// A file of users in a folder of its own.
struct UsersFile: ~Copyable {
    let folder: String
    var path: String { folder + "/users" }

    init(_ entries: [String] = [], mode: Int = 0o600) throws {
        folder = FileManager.default.temporaryDirectory.path + "/settee-access-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try write(entries, mode: mode)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes the file anew, in place of the old one.
    func write(_ lines: [String], mode: Int = 0o600) throws {
        try write(bytes: Array(lines.map { $0 + "\n" }.joined().utf8), mode: mode)
    }

    func write(bytes: [UInt8], mode: Int = 0o600) throws {
        try? FileManager.default.removeItem(atPath: path)
        let isMade = FileManager.default.createFile(
            atPath: path,
            contents: Data(bytes),
            attributes: [.posixPermissions: mode]
        )
        guard isMade else { throw StorageError(.fileSystem, "The test's file could not be made.") }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// An entry that costs as little as allowed.
    static func entry(_ name: String, _ password: String, _ roles: [String] = ["writer"]) throws -> String {
        try PasswordEntry(name: name, password: password, roles: roles, parameters: .least).line
    }
}
