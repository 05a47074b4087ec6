import Crypto
import Foundation
import SetteeProgramSupport

/// What files are: content and time of change.
func states(of path: String) throws -> [String: String] {
    var states: [String: String] = [:]
    let manager = FileManager.default
    var paths = [path]
    if let children = manager.subpaths(atPath: path) { paths += children.map { path + "/" + $0 } }
    for path in paths {
        let attributes = try manager.attributesOfItem(atPath: path)
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let content = manager.contents(atPath: path).map { "\(SHA256.hash(data: $0))" } ?? ""
        states[path] = "\(date) \(content)"
    }
    return states
}

extension Folder {
    /// What an import has left beside its result.
    var leftovers: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix(".settee") } }
    }
}
