internal import Settee
internal import SetteeSystemLibrary

/// Standard output, in the requested form.
final class Printer {
    let asJSON: Bool
    let output = OutputFile(descriptor: STDOUT_FILENO, name: "Standard output")

    init(asJSON: Bool) { self.asJSON = asJSON }

    var readerIsGone: Bool { output.readerIsGone }

    func flush() throws(StorageError) { try output.flush() }

    /// Prints `json` or `text` as a line.
    func line(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONLine) throws(StorageError) {
        if asJSON { try output.append(json().bytes) } else { try output.append(text() + "\n") }
    }

    /// Prints a line of JSON, whatever form was requested.
    func line(bytes: [UInt8]) throws(StorageError) {
        try output.append(bytes)
        try output.append([UInt8(ascii: "\n")])
    }
}
