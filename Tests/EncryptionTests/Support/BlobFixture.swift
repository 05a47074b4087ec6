import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// A store of encrypted contents in a folder of its own, which is removed with the last reference.
final class BlobFixture {
    let directory: String
    let store: FileBlobStore

    /// - Parameter codec: nil: one with the key that `key` gives.
    init(_ codec: (any BlobCodec)? = nil) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "settee-blobs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        directory = url.path
        store = try FileBlobStore(directory: directory, readOnly: false, codec: codec ?? BlobFixture.codec())
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// A data key of 32 bytes, ascending from `first`.
    static func key(_ first: UInt8 = 0) throws(StorageError) -> StorageKey {
        let bytes = (0..<32).map { first &+ $0 }
        return try StorageKey(bytes: bytes.span.bytes)
    }

    static func codec(_ first: UInt8 = 0) throws(StorageError) -> EncryptedBlobCodec {
        try EncryptedBlobCodec(dataKey: DataKey(key(first)))
    }

    @discardableResult
    func put(_ content: [UInt8]) throws(StorageError) -> BlobContent {
        let writer = try store.makeWriter()
        try writer.append(content.span.bytes)
        let made = try writer.finish()
        try writer.publish()
        return made
    }

    func read(_ name: String) throws(StorageError) -> [UInt8]? {
        guard let reader = try store.reader(name) else { return nil }
        return try reader.read(at: 0, count: Int(reader.length))
    }

    func path(_ name: String) -> String { "\(directory)/\(name.prefix(2))/\(name)" }

    func file(_ name: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path(name)))) }

    /// Puts a file in place of a blob's.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        let group = directory + "/" + name.prefix(2)
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: path(name))
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    /// All files below the folder, by their paths in it.
    func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            guard let bytes = FileManager.default.contents(atPath: directory + "/" + path) else { continue }
            files[path] = [UInt8](bytes)
        }
        return files
    }

    /// Expects that `verify` reports the damage of a blob, and that reading all of it fails.
    func expectDamage(
        _ name: String,
        _ what: @autoclosure () -> String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            if try store.verify(name) == nil {
                Issue.record("\(what()): verify finds nothing", sourceLocation: sourceLocation)
            }
        } catch {
            Issue.record("\(what()): verify throws \(error)", sourceLocation: sourceLocation)
        }
        do {
            let count = try read(name)?.count ?? 0
            Issue.record("\(what()): \(count) bytes were read", sourceLocation: sourceLocation)
        } catch {
            if error.code != .corrupt { Issue.record("\(what()): \(error)", sourceLocation: sourceLocation) }
        }
    }
}

/// `count` bytes that are the same for the same seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}
