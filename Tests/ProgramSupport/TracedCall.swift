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

    /// The calls of an undisturbed run, from where it first names `path`. Writing to standard output is not file
    /// access, and a call with the same number as an earlier one is left out too: strace would make both fail.
    ///
    /// - Parameter wanted: what the calls have to name, nil for all.
    package static func parse(_ log: String, from path: String, naming wanted: String? = nil) -> [TracedCall] {
        lines(of: log, from: path).filter { wanted.map($0.text.contains) ?? true }.map(\.call)
    }

    /// The same with the lines that strace shows for them.
    package static func lines(of log: String, from path: String) -> [(call: TracedCall, text: String)] {
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
            if !hasBegun { before[name] = max(before[name] ?? 0, call.ordinal) }
            guard hasBegun, !text.hasPrefix("write(1,"), call.ordinal > before[name] ?? 0 else { continue }
            if known.insert(call).inserted { calls.append((call, String(text))) }
        }
        return calls
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
        return try Child(program: URL(filePath: strace), command, input: Array(input.utf8), environment: [:]).wait()
    }
}
