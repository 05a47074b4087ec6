import Foundation
import SetteeProgramSupport
import Testing

/// A system call of `settee`, as strace counts them: the how manieth of its name in the thread that makes it.
struct TracedCall: Hashable, CustomStringConvertible {
    var name: String
    var ordinal: Int
    var description: String { "\(name) #\(ordinal)" }

    static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Those that have to do with files.
    static let names =
        "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,?symlink,write,pwrite64,?writev,"
        + "?pwritev,?pwritev2,fsync,?fdatasync,?msync,?ftruncate,?fallocate,?fchmod,?chmod,flock,fcntl,openat,mmap,?mremap,"
        + "pread64,read,?preadv,?newfstatat,?fstat,?stat,?lstat,?statx,?statfs,?fstatfs,?access,?faccessat,?faccessat2,"
        + "?getdents64,?lseek,?ioctl"

    /// The calls of an untouched run, from where it first names `path`. What goes to standard output is no work on files, and a
    /// number that a call from before has too is left out: strace would let both fail.
    ///
    /// - Parameter wanted: what the calls are to name, nil for all.
    static func parse(_ log: String, from path: String, naming wanted: String? = nil) -> [TracedCall] {
        var counts: [String: [String: Int]] = [:]
        var calls: [TracedCall] = []
        var known: Set<TracedCall> = []
        var before: [String: Int] = [:]
        var hasBegun = false
        for line in log.split(separator: "\n") {
            // A short number of a process is followed by several spaces.
            guard let space = line.firstIndex(of: " ") else { continue }
            let text = line[space...].drop { $0 == " " }
            guard let end = text.firstIndex(of: "("), !text.hasPrefix("<"), !text.hasPrefix("+") else { continue }
            let name = String(text[..<end])
            if line.contains(path) { hasBegun = true }
            counts[String(line[..<space]), default: [:]][name, default: 0] += 1
            let call = TracedCall(name: name, ordinal: counts[String(line[..<space])]?[name] ?? 0)
            if !hasBegun { before[name] = max(before[name] ?? 0, call.ordinal) }
            guard hasBegun, !text.hasPrefix("write(1,"), call.ordinal > before[name] ?? 0 else { continue }
            guard wanted.map({ line.contains($0) }) ?? true else { continue }
            if known.insert(call).inserted { calls.append(call) }
        }
        return calls
    }

    /// The options that let this call fail, or return at once, as `failure` says.
    func injecting(_ failure: String) -> [String] {
        ["-e", "trace=" + name, "-e", "inject=\(name):\(failure):when=\(ordinal)"]
    }

    static func run(
        _ arguments: [String],
        _ options: [String],
        log: String,
        input: String
    ) throws -> Program.Outcome {
        let program = URL(filePath: try #require(strace))
        let command = ["-f", "-o", log] + options + [try Program.required().path] + arguments
        return try Child(program: program, command, input: Array(input.utf8), environment: [:]).wait()
    }
}
