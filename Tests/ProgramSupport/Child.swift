package import Foundation
import SetteeSystemLibrary

/// A running process. Its output goes to files, since a full pipe would block it.
package final class Child {
    private let process = Process()
    private let folder: Folder
    private let handles: [FileHandle]

    package convenience init(_ arguments: [String], input: [UInt8], environment: [String: String] = [:]) throws {
        try self.init(program: Program.required(), arguments, input: input, environment: environment)
    }

    package init(program: URL, _ arguments: [String], input: [UInt8], environment: [String: String]) throws {
        folder = try Folder()
        var handles: [FileHandle] = []
        try Data(input).write(to: folder.url("input"))
        handles.append(try FileHandle(forReadingFrom: folder.url("input")))
        for name in ["output", "errors"] {
            try Data().write(to: folder.url(name))
            handles.append(try FileHandle(forWritingTo: folder.url(name)))
        }
        self.handles = handles
        process.executableURL = program
        process.arguments = arguments
        // The tests' own environment must not reach the program.
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SETTEE_") }
        variables["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = handles[0]
        process.standardOutput = handles[1]
        process.standardError = handles[2]
        try process.run()
    }

    package var identifier: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }

    /// Waits until it has printed something, or for a minute.
    package func waitForOutput() throws {
        let end = Date(timeIntervalSinceNow: 60)
        while isRunning, Date() < end, try Data(contentsOf: folder.url("output")).isEmpty {
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    /// Ends the process at once, as a crash would.
    package func kill() { Child.kill(process.processIdentifier) }

    /// Asks the process to end, as Ctrl-C does.
    package func interrupt() { process.interrupt() }

    /// Asks the process to end, as the system does before it shuts down.
    package func terminate() { process.terminate() }

    /// Stops the process wherever it is, until `resume`.
    package func suspend() { _ = process.suspend() }

    package func resume() { _ = process.resume() }

    /// The same for another process, or that of a thread.
    static func kill(_ process: Int32) {
        #if canImport(Darwin)
        _ = Darwin.kill(process, SIGKILL)
        #elseif canImport(Glibc)
        _ = Glibc.kill(process, SIGKILL)
        #else
        _ = Musl.kill(process, SIGKILL)
        #endif
    }

    /// What it had printed when it ended. If a signal ended it, the status is 128 plus the signal's number.
    package func wait() throws -> Program.Outcome {
        process.waitUntilExit()
        for handle in handles { try? handle.close() }
        let status = process.terminationStatus
        return Program.Outcome(
            status: process.terminationReason == .exit ? status : 128 + status,
            output: Array(try Data(contentsOf: folder.url("output"))),
            errors: String(decoding: try Data(contentsOf: folder.url("errors")), as: UTF8.self)
        )
    }
}
