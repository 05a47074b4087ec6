internal import Foundation
package import Settee
internal import Testing

extension Database {
    /// The sizes of all files of the database in bytes, by their paths in its folder. Files may come and go meanwhile.
    package func files() throws -> [String: UInt64] {
        let path = try #require(path)
        let names = FileManager.default.enumerator(atPath: path)
        var files: [String: UInt64] = [:]
        while let name = names?.nextObject() as? String {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            files[name] = attributes?[.size] as? UInt64 ?? 0
        }
        return files
    }
}
