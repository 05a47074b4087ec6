import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// Databases in a folder of its own, with the built-in engines, to be opened with and without keys.
final class EncryptedFixture {
    let folder: TemporaryFolder
    let manager: Manager

    init() throws {
        folder = try TemporaryFolder()
        manager = try Manager(directory: folder.url, options: .init(storageType: .sqlite))
    }

    deinit { try? manager.close() }

    /// A raw key that begins with a byte.
    static func key(_ byte: UInt8 = 1) throws -> StorageKey {
        let bytes = (0..<UInt8(StorageKey.rawLength)).map { byte &+ $0 }
        return try StorageKey(bytes: bytes.span.bytes)
    }

    static func options(_ type: StorageType? = nil, key: StorageKey? = nil, readOnly: Bool = false) -> DatabaseOptions {
        DatabaseOptions(
            storageType: type,
            readOnly: readOnly,
            durability: .normal,
            key: key,
            compactionThreshold: nil
        )
    }

    func open(
        _ name: String = "test",
        _ type: StorageType? = nil,
        key: StorageKey?,
        readOnly: Bool = false
    ) throws -> Database {
        try manager.database(
            named: name,
            options: EncryptedFixture.options(type, key: key, readOnly: readOnly)
        )
    }

    func path(_ name: String = "test") -> String { folder.url.appending(path: name + ".settee").path }

    /// Every file and folder of a database: its content, length, inode and time of change.
    func state(_ name: String = "test", withTimes: Bool = true) throws -> [String] {
        let root = path(name)
        let names = try FileManager.default.subpathsOfDirectory(atPath: root).sorted() + ["."]
        return try names.map { name in
            let path = root + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let isFolder = facts[.type] as? FileAttributeType == .typeDirectory
            let content = isFolder ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(name) \(facts[.systemFileNumber] ?? "") \(content.count) \(content.hashValue)"
                + (withTimes ? " \(changed)" : "")
        }
    }

    /// The files in the folder, of all databases, that contain one of the markers or have it in their names.
    func filesWith(_ markers: [String]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { name in
            let path = folder.url.appending(path: name).path
            let content = FileManager.default.contents(atPath: path) ?? Data()
            return markers.contains { marker in
                name.contains(marker) || content.range(of: Data(marker.utf8)) != nil
            }
        }
    }
}
