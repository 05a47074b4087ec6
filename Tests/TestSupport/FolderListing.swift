import Crypto
package import Foundation
internal import Settee
internal import StorageProtocol
internal import Testing

/// Every file below a folder with its content and time of change, and every folder: to see that nothing was changed.
/// Without LMDB's table of readers, which every reader writes to, and which must not be opened while LMDB has it open.
package func listing(of folder: URL) throws -> [String: String] {
    var entries: [String: String] = [:]
    let manager = FileManager.default
    for path in try manager.subpathsOfDirectory(atPath: folder.path) + ["."] where !path.hasSuffix("/lock.mdb") {
        let full = folder.appending(path: path).path
        let attributes = try manager.attributesOfItem(atPath: full)
        let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let content = manager.contents(atPath: full)?.base64EncodedString() ?? "folder"
        entries[path] = content == "folder" ? content : "\(time) \(content.count) \(content.hashValue)"
    }
    return entries
}

extension TestDatabase {
    /// Puts a blob into the store like an attachment would, but without one; returns its name.
    package func publishBlob(_ text: String, sha1: UInt8, count: UInt64 = 1) throws -> String {
        let content = Data(text.utf8)
        let name = SHA256.hash(data: content).map { String(format: "%02x", $0) }.joined()
        let path = try #require(database.path)
        let group = URL(filePath: path).appending(path: "blobs-000001/\(name.prefix(2))")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        try content.write(to: group.appending(path: name))
        try engine().write { (transaction) throws(StorageError) in
            try transaction.setBlobReference(
                BlobReference(
                    digest: [UInt8](repeating: sha1, count: 20),
                    storageName: name,
                    length: UInt64(content.count),
                    count: count
                )
            )
        }
        return name
    }
}
