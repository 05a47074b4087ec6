import Foundation

/// Starts the other process, whose program stands beside the tests' own.
enum Probe {
    @Sendable
    static func start(_ part: String, _ directory: String) throws -> @Sendable () throws -> Int32 {
        let process = Process()
        process.executableURL = folder.appendingPathComponent("SmallestEngineProbe")
        process.arguments = [part, directory]
        try process.run()
        return {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private final class Anchor {}

    private static var folder: URL {
        #if canImport(Darwin)
        Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent()
        #else
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }
}
