package import Foundation

/// A system call of a program, as strace counts them: the nth call of its name in the thread that makes it.
package struct TracedCall: Hashable, CustomStringConvertible {
    package var name: String
    package var ordinal: Int
    package var description: String { "\(name) #\(ordinal)" }

    package static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Those that change files.
    package static let changing =
        "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,?symlink,write,pwrite64,?writev,"
        + "?pwritev,?pwritev2,fsync,?fdatasync,?msync,?ftruncate,?fallocate,?fchmod,?chmod,flock,openat"

    /// All that concern files.
    package static let names =
        changing + ",fcntl,mmap,?mremap,"
        + "pread64,read,?preadv,?newfstatat,?fstat,?stat,?lstat,?statx,?statfs,?fstatfs,?access,?faccessat,?faccessat2,"
        + "?getdents64,?lseek,?ioctl"

    /// The calls of an undisturbed run that can be made to fail, from where it first names `path`. Writing to standard
    /// output is not file access, and a call with the same number as an earlier one is left out too: strace would make
    /// both fail. The same holds for waking a thread, and for what RocksDB writes to its file `LOG`: where that fails,
    /// an assertion of the library ends the process.
    ///
    /// - Parameter wanted: what the calls have to name, nil for all.
    package static func parse(_ log: String, from path: String, naming wanted: String? = nil) -> [TracedCall] {
        lines(of: log, from: path, toFail: true).filter { wanted.map($0.text.contains) ?? true }.map(\.call)
    }

    /// The same with the lines that strace shows for them.
    ///
    /// - Parameter toFail: whether they are to fail. Else the program is killed at them, whatever they do.
    package static func lines(
        of log: String,
        from path: String,
        toFail: Bool
    ) -> [(call: TracedCall, text: String)] {
        var spared: Set<TracedCall> = []
        var counts: [String: [String: Int]] = [:]
        var calls: [(call: TracedCall, text: String)] = []
        var known: Set<TracedCall> = []
        var before: [String: Int] = [:]
        var hasBegun = false
        for line in log.split(separator: "\n") {
            // A short process number is followed by several spaces.
            guard let space = line.firstIndex(of: " ") else { continue }
            let text = line[space...].drop { $0 == " " }
            guard let end = text.firstIndex(of: "("), !text.hasPrefix("<"), !text.hasPrefix("+") else { continue }
            let name = String(text[..<end])
            if line.contains(path) { hasBegun = true }
            counts[String(line[..<space]), default: [:]][name, default: 0] += 1
            let call = TracedCall(name: name, ordinal: counts[String(line[..<space])]?[name] ?? 0)
            if toFail, isWakeUp(text) || isOfInfoLog(text) { spared.insert(call) }
            if !hasBegun { before[name] = max(before[name] ?? 0, call.ordinal) }
            guard hasBegun, !text.hasPrefix("write(1,"), call.ordinal > before[name] ?? 0 else { continue }
            if known.insert(call).inserted { calls.append((call, String(text))) }
        }
        return calls.filter { !spared.contains($0.call) }
    }

    /// Whether a thread is woken by an eventfd, as Dispatch does. In earnest that never fails; where it is made to, the
    /// program waits for good.
    private static func isWakeUp(_ text: Substring) -> Bool {
        text.hasPrefix("write(") && text.contains(#", "\1\0\0\0\0\0\0\0", 8)"#)
    }

    /// Whether a line of RocksDB's `LOG` is written. It begins with the date.
    private static func isOfInfoLog(_ text: Substring) -> Bool {
        guard text.hasPrefix("write("), let quote = text.firstIndex(of: "\"") else { return false }
        let date = text[quote...].dropFirst().prefix(11)
        return date.count == 11 && zip(date, "0000/00/00-").allSatisfy { $1 == "0" ? $0.isNumber : $0 == $1 }
    }

    /// The options that make this call fail, or return at once, as `failure` says.
    package func injecting(_ failure: String) -> [String] {
        ["-e", "trace=" + name, "-e", "inject=\(name):\(failure):when=\(ordinal)"]
    }

    package static func run(
        _ program: URL,
        _ arguments: [String],
        _ options: [String],
        log: String,
        input: String = ""
    ) throws -> Program.Outcome {
        guard let strace else { throw Program.Missing() }
        let command = ["-f", "-o", log] + options + [program.path] + arguments
        let child = try Child(program: URL(filePath: strace), command, input: Array(input.utf8), environment: [:])
        let end = Date(timeIntervalSinceNow: longest)
        var isLate = false
        while child.isRunning {
            if Date() > end {
                isLate = true
                try killThreads(in: log)
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
        var outcome = try child.wait()
        if isLate { (outcome.status, outcome.errors) = (124, outcome.errors + "It was killed after \(longest) s.") }
        return outcome
    }

    /// So many seconds a program has.
    private static let longest = 600.0

    /// Kills what strace follows: were strace killed itself, its program would go on.
    private static func killThreads(in log: String) throws {
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let ended = Set(lines.filter { $0.contains(" +++ ") }.map { $0.prefix { $0.isNumber } })
        for thread in Set(lines.map { $0.prefix { $0.isNumber } }).subtracting(ended) {
            if let thread = Int32(thread) { Child.kill(thread) }
        }
    }
}
