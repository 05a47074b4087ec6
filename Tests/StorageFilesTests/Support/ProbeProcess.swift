import Foundation
import Testing

/// A run of `StorageFilesProbe`, which does one thing to a folder in a process of its own.
final class ProbeProcess {
    struct Outcome {
        var status: Int32
        var wasKilled: Bool
        var output: String
    }

    static let executable: String = {
        // The test bundle is next to the products.
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: bundle)
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        return folder.appendingPathComponent("SetteeStorageFilesProbe").path
    }()

    static let strace: String? = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the probe, through `prefix` if there is one.
    init(_ arguments: [String], prefix: [String] = []) throws {
        let command = prefix + [ProbeProcess.executable] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// The next line of its output.
    func line() throws -> String {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Closes its input, which it waits for.
    func begin() { try? input.fileHandleForWriting.close() }

    /// Lets it finish, and waits for that.
    func end() throws -> Outcome {
        begin()
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: String(decoding: rest, as: UTF8.self)
        )
    }

    /// Ends it without letting it do anything more.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    static func run(_ arguments: [String], prefix: [String] = []) throws -> Outcome {
        try ProbeProcess(arguments, prefix: prefix).end()
    }
}
