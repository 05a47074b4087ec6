import Foundation

/// A `settee` that runs as long as its input is open: what it is sent and what it answers go through pipes.
package final class Conversation {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    package init(_ arguments: [String]) throws {
        process.executableURL = try Program.required()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SETTEE_") }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    package var identifier: Int32 { process.processIdentifier }

    package func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Asks it to end, as Ctrl-C does.
    package func interrupt() { process.interrupt() }

    /// Waits for a whole line; nil at the end of the output.
    package func nextLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread.append(contentsOf: more)
        }
    }

    /// Closes the input and waits for the program to exit.
    ///
    /// - Returns: the exit status.
    package func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        while nextLine() != nil {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        try? input.fileHandleForWriting.close()
    }
}
