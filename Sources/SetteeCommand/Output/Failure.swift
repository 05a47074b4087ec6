internal import ArgumentParser
internal import Settee
internal import SetteeSystemLibrary

/// Messages about failures, on standard error.
enum Failure {
    static func report(_ error: StorageError, asJSON: Bool) { write(line(error, asJSON: asJSON)) }

    /// Returns what `report` writes.
    static func line(_ error: StorageError, asJSON: Bool) -> [UInt8] {
        let message = message(error)
        if asJSON { return json(status: error.status, code: error.code.description, message: message) }
        return Array("settee: \(Columns.printable(message)) (\(error.status) \(error.code))\n".utf8)
    }

    /// Prints the output of the argument parser: help on standard output, usage errors on standard error.
    ///
    /// - Returns: the exit status.
    static func reportUsage(_ error: any Error, asJSON: Bool) -> Int32 {
        if RootCommand.exitCode(for: error).isSuccess {
            let output = OutputFile(descriptor: STDOUT_FILENO, name: "Standard output")
            do throws(StorageError) {
                try output.append(RootCommand.fullMessage(for: error) + "\n")
                try output.flush()
                return 0
            } catch {
                if output.readerIsGone { return 0 }
                report(error, asJSON: asJSON)
                return 1
            }
        }
        if asJSON {
            write(json(status: 400, code: "usage", message: RootCommand.message(for: error)))
        } else {
            write(Array((RootCommand.fullMessage(for: error) + "\n").utf8))
        }
        return 2
    }

    /// Prints a note that is not a failure; in JSON it is under `note`.
    static func note(_ text: String, asJSON: Bool) {
        write(asJSON ? JSONLine().string("note", text).bytes : Array("settee: \(Columns.printable(text))\n".utf8))
    }

    /// Returns the message with the messages of the underlying errors.
    private static func message(_ error: StorageError) -> String {
        guard let cause = error.cause as? StorageError else { return error.message }
        return "\(error.message) Because: \(message(cause))"
    }

    private static func json(status: Int, code: String, message: String) -> [UInt8] {
        let inner = JSONLine().number("status", status).string("code", code).string("message", message)
        return JSONLine().json("error", inner.object).bytes
    }

    /// If standard error cannot be written, the failure cannot be reported.
    private static func write(_ bytes: [UInt8]) {
        let output = OutputFile(descriptor: STDERR_FILENO, name: "Standard error")
        try? output.append(bytes)
        try? output.flush()
    }
}
