import Foundation
import Settee
import SetteeProgramSupport
import Testing

extension Program.Outcome {
    /// Expects that the command has done its work.
    @discardableResult
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) -> Program.Outcome {
        #expect(status == 0, "\(errors)", sourceLocation: sourceLocation)
        return self
    }

    /// Standard output as JSON lines.
    func objects() throws -> [JSONObject] {
        try lines.map { line in try #require(try JSONValue(parsing: line).objectValue) }
    }

    /// Standard output as one JSON line.
    func object() throws -> JSONObject {
        let all = try objects()
        #expect(all.count == 1)
        return try #require(all.first)
    }

    /// The JSON error that was printed on standard error.
    func error() throws -> (status: Int64?, code: String?, message: String?) {
        let line = try #require(errors.split(separator: "\n").last)
        let error = try JSONValue(parsing: String(line))["error"]
        return (error?["status"]?.intValue, error?["code"]?.stringValue, error?["message"]?.stringValue)
    }
}

extension Program {
    /// Runs `settee` and requires exit status 0.
    @discardableResult
    static func succeed(
        _ arguments: String...,
        input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try Child(arguments, input: Array(input.utf8)).wait()
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Runs a shell script in which `$settee` is the program.
    static func shell(_ script: String, in folder: Folder) throws -> Outcome {
        let program = try #require(url)
        let child = try Child(
            program: URL(filePath: "/bin/sh"),
            ["-c", "cd '\(folder.path)'; " + script],
            input: [],
            environment: ["settee": program.path]
        )
        return try child.wait()
    }
}

/// Returns a line of `--json` as an object.
func object(_ line: String?) throws -> JSONObject {
    let text = try #require(line)
    return try #require(try JSONValue(parsing: text).objectValue)
}
