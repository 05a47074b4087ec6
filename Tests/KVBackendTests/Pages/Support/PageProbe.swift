import Foundation

/// Reads files through LMDB in a process of its own.
enum PageProbe {
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: executable.path) }

    private static var executable: URL { folder.appendingPathComponent("SetteeKVBackendProbe") }

    /// What LMDB reads in each file: entries and digest, or its error code. Nil if it killed the process.
    static func read(_ paths: [String]) throws -> [String?] {
        var lines: [String?] = []
        while lines.count < paths.count {
            lines += try run(Array(paths[lines.count...]))
            // The process ended while reading this one.
            if lines.count < paths.count { lines.append(nil) }
        }
        return lines
    }

    private static func run(_ paths: [String]) throws -> [String?] {
        let process = Process()
        process.executableURL = executable
        process.arguments = paths
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    private static let folder: URL = {
        // The test bundle is next to the products.
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: bundle)
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        return folder
    }()
}
