package import Foundation

/// A folder for one test, removed with it.
package final class Folder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "settee-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    package func url(_ name: String) -> URL { url.appending(path: name) }
    package func path(_ name: String) -> String { url(name).path }

    /// The path of a file that holds `text`.
    package func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url(name))
        return path(name)
    }

    package func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

    package func entries(_ name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: name.isEmpty ? path : path(name)).sorted()
    }
}
