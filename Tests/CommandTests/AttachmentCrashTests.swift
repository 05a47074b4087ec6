import Dispatch
import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

/// Kills while attachments are written, replaced and collected.
@Suite(.serialized) struct AttachmentCrashTests {
    private static let points = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 20 : 500

    @Test(
        "No document loses its attachment to a kill, and no content outlives the next compaction",
        arguments: ["sqlite"] + PlainTypes.rocksDB
    )
    func kills(_ type: String) throws {
        try run(type, points: AttachmentCrashTests.points, seed: 17, collector: false)
    }

    @Test("The same while a second process collects")
    func killsBesideACollector() throws {
        try run("sqlite", points: AttachmentCrashTests.points, seed: 18, collector: true)
    }

    private func run(_ type: String, points: Int, seed: UInt64, collector: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try Folder()
        var run = Run(db: try folder.database(type: type))
        try run.measure(folder, type)
        var killed = 0
        for point in 0..<points {
            let other = collector ? try Child(["compact", run.db], input: []) : nil
            if try run.step(point, &random) { killed += 1 }
            if let other {
                let outcome = try other.wait()
                #expect(outcome.status == 0, "seed \(seed), point \(point): \(outcome.errors)")
            }
            try run.verify("seed \(seed), point \(point)", collects: point % 5 == 4 || point == points - 1)
        }
        #expect(killed > points / 4, "Most kills come before the end, or nothing is tested.")
    }
}

/// One database, what it must hold, and how long the programs usually take.
private struct Run {
    let db: String
    /// The contents, by number, that a document may have: two of them after a write whose outcome is unknown.
    private var allowed: [String: Set<Int>] = [:]
    private var usual: [String: Double] = [:]

    init(db: String) { self.db = db }

    /// A document without an attachment.
    private static let none = -1

    private static func content(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number) + 1)
        let count = [3, 4000, 70_000, 600_000][number % 4] + number
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    /// Times every kind of work on a database of its own.
    mutating func measure(_ folder: Folder, _ type: String) throws {
        let other = try folder.database("timed", type: type)
        for (kind, arguments, input) in [
            ("attach", ["attach", other, "a", "x", "-"], Run.content(3)),
            ("import", ["import", other, "-"], Array(lines(1).utf8)), ("detach", ["detach", other, "a", "x"], []),
            ("compact", ["compact", other], []),
        ] {
            let start = ContinuousClock.now
            #expect(try Child(arguments, input: input).wait().status == 0)
            usual[kind] = (ContinuousClock.now - start) / .seconds(1)
        }
        try FileManager.default.removeItem(atPath: other)
    }

    private func lines(_ number: Int) -> String {
        (0..<20).map { line in
            let data = Data(Run.content(number * 100 + line * 4 % 16)).base64EncodedString()
            return #"{"_id":"i\#(number)-\#(line)","_attachments":{"x":{"data":"\#(data)"}}}"#
        }.joined(separator: "\n")
    }

    /// Starts an operation and kills it at a random moment.
    mutating func step(_ point: Int, _ random: inout SeededGenerator) throws -> Bool {
        let number = point + 1000
        let id = "d\(Int.random(in: 0..<6, using: &random))"
        let before = allowed[id] ?? []
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2, 3:
            let isDone = try kill("attach", ["attach", db, id, "x", "-", "--json"], Run.content(number), &random)
            allowed[id] = isDone ? [number] : before.union(before.isEmpty ? [number, Run.none] : [number])
            return !isDone
        case 4:
            guard before.contains(where: { $0 != Run.none }) else { return false }
            // There may be nothing to remove: then the command fails by itself.
            let isDone = try kill("detach", ["detach", db, id, "x"], [], &random)
            allowed[id] = isDone ? [Run.none] : before.union([Run.none])
            return !isDone
        case 5:
            let isDone = try kill("import", ["import", db, "-"], Array(lines(number).utf8), &random)
            for line in 0..<20 {
                let content = number * 100 + line * 4 % 16
                allowed["i\(number)-\(line)"] = isDone ? [content] : [content, Run.none]
            }
            return !isDone
        default: return try !kill("compact", ["compact", db], [], &random)
        }
    }

    /// - Returns: whether it exited successfully by itself.
    private mutating func kill(
        _ kind: String,
        _ arguments: [String],
        _ input: [UInt8],
        _ random: inout SeededGenerator
    ) throws -> Bool {
        let time = usual[kind] ?? 0.1
        let start = ContinuousClock.now
        let child = try Child(arguments, input: input)
        let killer = DispatchWorkItem { child.kill() }
        // The first part of the time is the start of the program.
        let delay = time * Double.random(in: 0.2...1, using: &random)
        DispatchQueue(label: "killer").asyncAfter(deadline: .now() + delay, execute: killer)
        defer { killer.cancel() }
        let isDone = try child.wait().status == 0
        usual[kind] = isDone ? min(time * 1.5, (ContinuousClock.now - start) / .seconds(1)) : time * 1.03
        return isDone
    }

    /// - Parameter collects: compact, and check that no content is left that no document refers to.
    mutating func verify(_ note: String, collects: Bool) throws {
        let database = try Database.open(
            at: URL(fileURLWithPath: db),
            options: DatabaseOptions(create: false)
        )
        if collects {
            // All is read after each kill: without this it would take longer and longer.
            for id in allowed.keys where id.hasPrefix("i") {
                try database[id].purge()
                allowed[id] = nil
            }
            try database.compact()
        }
        let problems = try database.check()
        #expect(problems.isEmpty, "\(note): \(problems.map(\.description))")
        for (id, contents) in allowed {
            let attachment = try database[id].revision()?.attachment(named: "x")
            let found = try attachment?.content()
            let match = contents.first { found == ($0 == Run.none ? nil : Run.content($0)) }
            #expect(match != nil, "\(note): '\(id)' has \(found?.count ?? -1) bytes, which is none of \(contents)")
            allowed[id] = match.map { [$0] } ?? []
        }
        if collects {
            let space = try database.attachmentSpace()
            #expect(space.unusedContents == 0, "\(note)")
            #expect(space.trashed == 0, "\(note)")
            #expect(try files() == Int(space.contents), "\(note): a file without a reference")
        }
        try database.close()
    }

    /// How many files of any kind are in the folder of contents.
    private func files() throws -> Int {
        let folder = URL(fileURLWithPath: db).appending(path: "blobs-000001")
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return try (all?.compactMap { $0 as? URL } ?? []).count { url in
            try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }
    }
}
