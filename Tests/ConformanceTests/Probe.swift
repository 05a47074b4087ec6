internal import Foundation
internal import StorageProtocol

/// Starts the probe, which is next to the tests' own program.
enum Probe {
    @Sendable
    static func start(_ row: String, _ part: String, _ directory: String) throws -> @Sendable () throws -> Int32 {
        let process = Process()
        process.executableURL = folder.appendingPathComponent("SetteeConformanceProbe")
        process.arguments = [row, part, directory]
        try process.run()
        return {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    static let isSanitized = ProcessInfo.processInfo.environment["SETTEE_SANITIZED"] != nil

    /// The key that encrypted stores are made with, here and in the probe.
    static let key = try? unsafe StorageKey(bytes: [UInt8](repeating: 0x5E, count: StorageKey.rawLength).span.bytes)

    private final class Anchor {}

    private static var folder: URL {
        #if canImport(Darwin)
        Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent()
        #else
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }
}
