internal import Foundation
internal import SetteeJavaScript
internal import SetteeSystemLibrary
internal import Testing

/// Programs that are missing, or are not the one.
@Suite struct ProgramTests {
    private func failure(of path: String) -> JavaScriptError? {
        let worker = JavaScriptWorker(JavaScriptConfiguration(executable: path))
        return JavaScriptTests.failure { () throws(JavaScriptError) in try worker.check(function("doc => 1")) }
    }

    @Test(arguments: ["/nowhere/settee-js", "", "/etc/passwd", "/bin/true\0"])
    func aMissingProgramIsUnavailable(path: String) throws {
        let error = try #require(failure(of: path))
        guard case .unavailable(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains("Install it beside the program that needs it, or name its path in `executable`."))
        // Clients read it.
        #expect(path.isEmpty || !reason.contains(path))
        #expect(error.status == 501)
    }

    /// What was left behind by an update, in either direction: no function runs in it.
    @Test(arguments: [
        // It says which one it is.
        (#"printf '\002\000\000\000\002\007'"#, "of version 7, and this program needs version 4."),
        // As the versions before 3 do.
        ("exit 64", "of an older version, and this program needs version 4."),
    ])
    func anotherVersionIsUnavailable(script: String, reason: String) throws {
        let path = FileManager.default.temporaryDirectory.path + "/settee-js-\(UUID().uuidString)"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        guard case .unavailable(let text) = failure(of: path) else {
            Issue.record("taken for the program")
            return
        }
        #expect(text.contains(reason), "\(text)")
        #expect(!text.contains(path))
    }

    /// A host of another version starts the program: it says which one it is, and runs nothing.
    @Test func tellsOtherHostsItsVersion() throws {
        let process = Process()
        process.executableURL = try program()
        process.arguments = ["2", "\(getpid())", "1000", "1000000", "268435456"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = Pipe()
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 64)
        #expect(Array(output.fileHandleForReading.readDataToEndOfFile()) == [2, 0, 0, 0, 2, 4])
    }

    @Test(arguments: ["/bin/true", "/bin/false", "/usr/bin/yes", "/bin/cat", "/proc/self/exe"])
    func otherProgramsAreNotTrusted(path: String) throws {
        #expect(failure(of: path) == .crashed)
    }

    @Test func aFolderIsNoProgram() throws {
        guard case .unavailable = failure(of: "/usr/bin") else {
            Issue.record("taken for a program")
            return
        }
    }

    /// The program in the hands of a person, or with numbers that no host sends.
    @Test(arguments: [
        [], ["--help"], ["4", "2", "3", "4"], ["1", "1", "1", "1", "1"], ["4", "99999999999", "1", "1", "1"],
        ["4", "-1", "", "1", "1"],
    ])
    func saysWhatItIs(arguments: [String]) throws {
        let process = Process()
        process.executableURL = try program()
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = Pipe()
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 64)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "settee-js runs functions of design documents for settee. It is not for use from a shell.\n")
    }

    /// Frames that no host sends: the program ends, and never by a signal.
    @Test(
        arguments: [
            [], [1], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0, 9], [1, 0, 0, 0, 1], [1, 0, 0, 0, 2],
            [3, 0, 0, 0, 2, 0, 200], [8, 0, 0, 0, 1, 255, 40, 41, 61, 62, 49, 41], [5, 0, 0, 0, 2, 9, 1, 250, 91],
            [6, 0, 0, 0, 2, 0, 1, 0, 0x5B, 0x5D], [4, 0, 0, 0, 2, 0, 1, 0], [10, 0, 0, 0, 2, 0, 1],
        ] as [[UInt8]]
    )
    func framesThatAreNone(frame: [UInt8]) throws {
        let process = Process()
        process.executableURL = try program()
        process.arguments = ["4", "\(getpid())", "1000", "1000000", "268435456"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let greeting = output.fileHandleForReading.readData(ofLength: 6)
        #expect(Array(greeting) == [2, 0, 0, 0, 0, 1])
        _ = signal(SIGPIPE, SIG_IGN)
        try? input.fileHandleForWriting.write(contentsOf: Data(frame))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect([0, 65].contains(process.terminationStatus))
    }

    private func program() throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("settee-js")
    }

    @Test func messagesSayWhatToDo() {
        let errors: [JavaScriptError] = [
            .unavailable("x"), .compilation(message: "SyntaxError: x", line: 3), .timeLimit(.seconds(5)),
            .memoryLimit(5),
            .outputLimit(6), .inputLimit(7), .crashed, .thrown("x"),
        ]
        #expect(errors.map(\.status) == [501, 400, 500, 500, 500, 413, 500, 500])
        #expect(errors[1].errorDescription?.contains("line 3: SyntaxError: x") == true)
        for error in errors { #expect(error.localizedDescription == error.errorDescription) }
    }
}
