package import Foundation
package import Testing

/// A command that is killed at each of its system calls that touch files, or run with each of them failing.
package struct TracedCommand {
    package static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// Those that change something; in the long form also others, where a kill should make no difference.
    private static let killed = TracedCall.changing + (isStress ? ",fcntl,mmap,munmap,?close,pread64,read" : "")

    private let program: URL
    private let folder: Folder
    /// The program's arguments, given a path in the folder, which it is to change.
    package let arguments: (_ path: String) -> [String]

    /// - Parameter program: `settee` if nil.
    package init(
        _ program: URL? = nil,
        folder: Folder,
        arguments: @escaping (_ path: String) -> [String]
    ) throws {
        self.program = try program ?? Program.required()
        self.folder = folder
        self.arguments = arguments
    }

    /// Runs it on copies of a database, killing it at a different call on each.
    ///
    /// - Parameters:
    ///   - original: nil if there is nothing yet, and the command creates it.
    ///   - step: in the short form, how many calls lie between two kills.
    ///   - verify: checks what a kill has left.
    package func killAtEachCall(
        of original: String?,
        every step: Int,
        _ verify: (_ db: String, _ note: Comment) throws -> Void
    ) throws {
        let calls = try calls(on: original, TracedCommand.killed)
        try #require(calls.count > 50)
        // A share has the calls whose place, divided by the number of shares, leaves its own.
        let (first, step) = TracedCommand.isStress ? StressShare.current : (0, step)
        var kills = 0
        for (place, (call, _)) in calls.enumerated() where place % step == first {
            let outcome = try onCopy(of: original) { (db) in
                let outcome = try run(db, call.injecting("signal=SIGKILL"))
                let note: Comment = "killed at \(call), \(place) of \(calls.count): \(outcome.errors)"
                if outcome.status != 128 + 9 { #expect(outcome.status == 0, note) }
                try verify(db, note)
                return outcome
            }
            if outcome.status == 128 + 9 { kills += 1 }
        }
        // A call that depends on timing, such as a wait for a lock, may be missing from a run.
        #expect(kills * 10 > calls.count / step * 9)
    }

    /// Runs it on copies of a database, on each of which a different call fails once: with EIO, and with a full disk.
    ///
    /// - Parameters:
    ///   - original: as above.
    ///   - count: in the short form, how many calls fail.
    ///   - verify: checks what the failure has left.
    package func failEachCall(
        of original: String?,
        short count: Int,
        _ verify: (_ db: String, _ outcome: Program.Outcome, _ note: Comment) throws -> Void
    ) throws {
        try failEachCall(of: original, by: ["EIO", "ENOSPC"]) { all in
            // The last ones are those that put the new state in place.
            TracedCommand.isStress ? all : (0..<count).map { all[all.count - 1 - $0 * (all.count - 1) / count] }
        } verify: {
            try verify($0, $1, $2)
        }
    }

    /// Runs it on copies of a database, on each of which one of the chosen calls fails once.
    ///
    /// - Parameters:
    ///   - original: as above.
    ///   - names: which calls to choose from.
    ///   - allErrors: what they fail with: in the short form by each in turn, in the long form by all of them.
    ///   - choose: selects the calls that fail from those of an undisturbed run.
    package func failEachCall(
        of original: String?,
        named names: String = TracedCall.changing,
        by allErrors: [String],
        choose: ([(call: TracedCall, text: String)]) throws -> [(call: TracedCall, text: String)],
        verify: (_ db: String, _ outcome: Program.Outcome, _ note: Comment) throws -> Void
    ) throws {
        let all = try calls(on: original, names, toFail: true).filter { $0.call.name != "flock" }
        try #require(all.count > 15)
        var failures = 0
        let (first, step) = StressShare.current
        let chosen = try choose(all).enumerated().filter { $0.offset % step == first }.map(\.element.call)
        // Which thread makes a call depends on timing. If none of those chosen made the command fail, others do.
        let others = all.map(\.call).filter { !chosen.contains($0) }.shuffled().prefix(20)
        for (place, call) in (chosen + others).enumerated() where place < chosen.count || failures == 0 {
            let errors = TracedCommand.isStress ? allErrors : [allErrors[place % allErrors.count]]
            for error in errors {
                _ = try onCopy(of: original) { db in
                    let outcome = try run(db, call.injecting("error=" + error))
                    let note: Comment = "\(call) failed by \(error): \(outcome.status), \(outcome.errors)"
                    #expect(0...1 ~= outcome.status, note)
                    if outcome.status != 0 { failures += 1 }
                    try verify(db, outcome, note)
                    return outcome
                }
            }
        }
        #expect(failures > 0)
    }

    /// Runs it on a copy of a database, `db` in the folder, and kills it in the middle of its writes after it has last
    /// renamed a file that `name` names.
    package func kill(_ original: String, afterNaming name: String) throws -> String {
        try kill(original) { calls in
            let named = calls.lastIndex { $0.call.name.hasPrefix("rename") && $0.text.contains(name) }
            return named.map { $0..<calls.count }
        }
    }

    /// Kills it in the middle of its writes between the first and the last call that name a file.
    package func kill(_ original: String, whileNaming name: String) throws -> String {
        try kill(original) { calls in
            let named = calls.indices.filter { calls[$0].text.contains(name) }
            return named.first.map { $0..<named[named.count - 1] }
        }
    }

    private func kill(
        _ original: String,
        in part: ([(call: TracedCall, text: String)]) -> Range<Int>?
    ) throws -> String {
        let calls = try calls(on: original, TracedCommand.killed)
        let written = calls[try #require(part(calls))].map(\.call).filter { $0.name.contains("write") }
        // Threads that are woken by a `write` differ from run to run.
        let names = Dictionary(grouping: written, by: \.name)
        let writes = try #require(names.values.max { $0.count < $1.count })
        try #require(writes.count > 5)
        let call = writes[writes.count / 2]
        let db = folder.path("db")
        try FileManager.default.copyItem(atPath: original, toPath: db)
        let outcome = try run(db, call.injecting("signal=SIGKILL"))
        try #require(outcome.status == 128 + 9, "\(call): \(outcome.errors)")
        return db
    }

    private func onCopy(
        of original: String?,
        _ body: (_ db: String) throws -> Program.Outcome
    ) throws -> Program.Outcome {
        let db = folder.path("db")
        if let original { try FileManager.default.copyItem(atPath: original, toPath: db) }
        defer { try? FileManager.default.removeItem(atPath: db) }
        return try body(db)
    }

    private func run(_ db: String, _ options: [String]) throws -> Program.Outcome {
        try TracedCall.run(program, arguments(db), options, log: db + ".trace")
    }

    /// The calls of an undisturbed run, from where it names the database.
    private func calls(
        on original: String?,
        _ names: String,
        toFail: Bool = false
    ) throws -> [(call: TracedCall, text: String)] {
        let outcome = try onCopy(of: original) { db in try run(db, ["-e", "trace=" + names]) }
        try #require(outcome.status == 0, "\(outcome.errors)")
        let log = String(decoding: try folder.bytes("db.trace"), as: UTF8.self)
        return TracedCall.lines(of: log, from: folder.path("db"), toFail: toFail)
    }
}
