import Foundation
import SetteeProgramSupport
import Testing

/// A command of `settee` that is ended at each of its system calls that touch files.
struct TracedCommand {
    static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// Those that change something; in the long form also others, at which a kill should make no difference.
    private static let names =
        "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,write,pwrite64,?pwritev,"
        + "fsync,?fdatasync,?msync,?ftruncate,?fallocate,flock,openat"
        + (isStress ? ",fcntl,mmap,munmap,?close,pread64,read" : "")

    /// Which call of this name it is, of the thread that makes it: strace counts so.
    private struct Call: Hashable, CustomStringConvertible {
        var name: String
        var ordinal: Int
        /// As strace shows it in one run; another run has other numbers in it.
        var text = ""
        var description: String { "\(name) #\(ordinal)" }
    }

    let folder: Folder
    /// What the program is given for a database folder.
    let arguments: (_ db: String) -> [String]

    /// Runs it on copies of a database, each of which it is killed on at another call.
    ///
    /// - Parameters:
    ///   - step: in the short form, how many calls lie between two kills.
    ///   - verify: looks at what a kill has left.
    func killAtEachCall(
        of original: String,
        every step: Int,
        _ verify: (_ db: String, _ note: Comment) throws -> Void
    ) throws {
        let calls = try calls(on: original)
        try #require(calls.count > 50)
        let step = TracedCommand.isStress ? 1 : step
        var kills = 0
        for (place, call) in calls.enumerated() where place % step == 0 {
            let db = folder.path("db")
            try FileManager.default.copyItem(atPath: original, toPath: db)
            let outcome = try run(db, TracedCommand.killing(at: call))
            let note: Comment = "killed at \(call), \(place) of \(calls.count): \(outcome.errors)"
            if outcome.status == 128 + 9 { kills += 1 } else { #expect(outcome.status == 0, note) }
            try verify(db, note)
            try FileManager.default.removeItem(atPath: db)
        }
        // A call that depends on the moment, such as a wait for a lock, may be missing from a run.
        #expect(kills * 10 > calls.count / step * 9)
    }

    /// Runs it on a copy of a database, `db` in the folder, and kills it in the middle of what it writes after it has given a file its name for
    /// the last time.
    func kill(_ original: String, afterNaming name: String) throws -> String {
        let calls = try calls(on: original)
        let named = try #require(calls.lastIndex { $0.name.hasPrefix("rename") && $0.text.contains(name) })
        let writes = calls[named...].filter { $0.name.contains("write") }
        try #require(writes.count > 10)
        let call = writes[writes.count / 2]
        let db = folder.path("db")
        try FileManager.default.copyItem(atPath: original, toPath: db)
        let outcome = try run(db, TracedCommand.killing(at: call))
        try #require(outcome.status == 128 + 9, "\(call): \(outcome.errors)")
        return db
    }

    private static func killing(at call: Call) -> [String] {
        ["-e", "trace=" + call.name, "-e", "inject=\(call.name):signal=SIGKILL:when=\(call.ordinal)"]
    }

    private func run(_ db: String, _ options: [String]) throws -> Program.Outcome {
        let strace = URL(filePath: try #require(TracedCommand.strace))
        let command = [try Program.required().path] + arguments(db)
        return try Child(
            program: strace,
            ["-f", "-o", db + ".trace"] + options + command,
            input: [],
            environment: [:]
        ).wait()
    }

    /// The calls of an untouched run, from where it opens the database.
    private func calls(on original: String) throws -> [Call] {
        let db = folder.path("db")
        try FileManager.default.copyItem(atPath: original, toPath: db)
        defer { try? FileManager.default.removeItem(atPath: db) }
        let outcome = try run(db, ["-e", "trace=" + Self.names])
        try #require(outcome.status == 0, "\(outcome.errors)")
        var counts: [String: [String: Int]] = [:]
        var calls: [Call] = []
        var known: Set<Call> = []
        var hasBegun = false
        for line in String(decoding: try folder.bytes("db.trace"), as: UTF8.self).split(separator: "\n") {
            // A short number of a process is followed by several spaces.
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = String(line[..<space])
            let text = line[space...].drop { $0 == " " }
            guard let end = text.firstIndex(of: "("), !text.hasPrefix("<") else { continue }
            let name = String(text[..<end])
            if line.contains(db) { hasBegun = true }
            let ordinal = (counts[process]?[name] ?? 0) + 1
            counts[process, default: [:]][name] = ordinal
            let call = Call(name: name, ordinal: ordinal)
            if hasBegun, known.insert(call).inserted {
                calls.append(Call(name: name, ordinal: ordinal, text: String(text)))
            }
        }
        return calls
    }
}
