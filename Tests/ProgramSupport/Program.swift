package import Foundation

/// The `settee` that was built with these tests.
package enum Program {
    package struct Outcome {
        package var status: Int32
        package var output: [UInt8]
        package var errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// The program is not where the tests are.
    package struct Missing: Error {}

    /// Where the executable is: beside the test bundle, or the bundle's program.
    package static let url: URL? = find("settee")

    /// Where another program is that was built with these tests.
    package static func named(_ name: String) throws -> URL {
        guard let url = find(name) else { throw Missing() }
        return url
    }

    private static func find(_ name: String) -> URL? {
        var folders = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
        folders.append(URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent())
        for start in folders {
            var folder = start
            for _ in 0..<5 {
                let candidate = folder.appending(path: name)
                if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                    return candidate
                }
                folder.deleteLastPathComponent()
            }
        }
        return nil
    }

    /// Runs `settee` until it exits.
    @discardableResult
    package static func run(
        _ arguments: String...,
        input: String = "",
        environment: [String: String] = [:]
    ) throws -> Outcome {
        try Child(arguments, input: Array(input.utf8), environment: environment).wait()
    }

    package static func required() throws -> URL {
        guard let url else { throw Missing() }
        return url
    }
}
