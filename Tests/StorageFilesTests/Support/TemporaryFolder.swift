import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

/// A folder for one test, which other users may enter; removed after the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("settee-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/library.settee" }

    /// Makes a database whose engine file says `generation 1`.
    @discardableResult
    func makeDatabase() throws -> String {
        try DatabaseFolder.create(at: database, members: ManifestMembers(storageType: .sqlite)) {
            (data) throws(StorageError) in
            try write("generation 1", to: data + "/db")
        }
        return database
    }

    /// The names in a folder, in order; in the temporary folder by default.
    func names(in folder: String? = nil) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder ?? path).sorted()
    }
}

/// Writes a file as an engine would, failing with the storage's own error.
func write(_ text: String, to path: String) throws(StorageError) {
    do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
        throw StorageError(.fileSystem, "The test could not write '\(path)'.", cause: error)
    }
}

func text(of path: String) throws -> String {
    try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}

func bytes(of path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }

func put(_ bytes: [UInt8], at path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

/// Runs `body`, which must throw a `StorageError`, and returns that.
@discardableResult
func failure(
    _ code: StorageError.Code,
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> StorageError {
    let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try body() }
    let found = try #require(error, sourceLocation: sourceLocation)
    #expect(found.code == code, "\(found)", sourceLocation: sourceLocation)
    return found
}

/// Whether the long forms of tests run.
let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
