import Foundation
import SetteeProgramSupport
import SetteeSystemLibrary

/// A `settee` whose standard streams are a terminal of its own, into which the test types.
final class TerminalChild {
    /// The program that gives a session its terminal.
    static let setsid = ["/usr/bin/setsid", "/bin/setsid"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    struct Unavailable: Error {}

    private let process = Process()
    private let keyboard: Int32
    /// All that the terminal has shown.
    private(set) var screen = ""

    convenience init(_ arguments: [String]) throws { try self.init(program: Program.required().path, arguments) }

    /// A shell script instead.
    convenience init(scripted script: String) throws { try self.init(program: "/bin/sh", ["-c", script]) }

    private init(program: String, _ arguments: [String]) throws {
        guard let setsid = TerminalChild.setsid else { throw Unavailable() }
        var (keyboard, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&keyboard, &terminal, nil, nil, nil) == 0 else { throw Unavailable() }
        // Other children would keep it open.
        for descriptor in [keyboard, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        self.keyboard = keyboard
        let handle = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
        process.executableURL = URL(filePath: setsid)
        process.arguments = ["--ctty", "--wait", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SETTEE_") }
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        try handle.close()
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(keyboard)
    }

    /// Whether the terminal shows what is typed.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(keyboard, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits until the screen shows a text `times` times, at most a minute.
    ///
    /// - Returns: whether it did.
    func shows(_ text: String, times: Int = 1) -> Bool {
        while screen.components(separatedBy: text).count <= times { guard read() else { return false } }
        return true
    }

    /// Waits like `shows`, and checks all the while whether the terminal echoes what is typed.
    ///
    /// - Returns: whether it showed the text, and never what is typed.
    func hides(until text: String) -> Bool {
        while !screen.contains(text) {
            guard !echoes else { return false }
            var wanted = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 0) == 0 || read() else { return false }
        }
        return !echoes
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(keyboard, bytes, bytes.count)
    }

    /// Sends a signal to the program that the terminal belongs to.
    func send(_ number: Int32) { _ = kill(-tcgetpgrp(keyboard), number) }

    /// Waits for the end.
    ///
    /// - Returns: the exit status; 128 and more for a signal.
    func wait() -> Int32 {
        while read() {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Reads what is available; false at the end, or after a minute.
    private func read() -> Bool {
        var wanted = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 60_000) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = systemRead(keyboard, &bytes, bytes.count)
        guard count > 0 else { return false }
        screen += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }
}

/// `read`, under a name that the method does not shadow.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
