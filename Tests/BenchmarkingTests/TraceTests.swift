import Foundation
import Settee
import SetteeBenchmarking
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// Traces come from anywhere: what is no trace is refused with the number of the line.
@Suite struct TraceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let head = #"{"format":1,"began":"2026-11-25T08:00:00Z","salt":"9f3a61c0e2d4b587"}"#

    private func read(_ text: [UInt8]) throws -> Trace {
        let file = folder.url.appending(path: UUID().uuidString)
        try Data(text).write(to: file)
        return try Trace(contentsOf: file)
    }

    private func read(_ lines: String...) throws -> Trace {
        try read(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test func linesBecomeEvents() throws {
        let trace = try read(
            TraceTests.head,
            #"{"op":"put","db":2,"th":3,"at":5,"ns":7,"id":"00000000000000ff","rev":"0000000000000001","gen":4,"#
                + #""on":"0000000000000002","size":9,"deleted":true,"contents":["0000000000000003"],"lengths":[11]}"#,
            #"{"op":"teleport","to":"mars"}"#,
            #"{"op":"expire","id":"00000000000000ff","after":-5,"new member":[1]}"#
        )
        #expect(trace.salt == "9f3a61c0e2d4b587")
        #expect(trace.began == "2026-11-25T08:00:00Z")
        #expect(trace.unknownOperations == 1)
        #expect(!trace.isCutOff)
        var put = TraceEvent(.put)
        put.database = 2
        put.thread = 3
        put.microseconds = 5
        put.nanoseconds = 7
        put.subject = 255
        put.revision = 1
        put.generation = 4
        put.parent = 2
        put.size = 9
        put.isDeleted = true
        put.subjects = [3]
        put.lengths = [11]
        var expire = TraceEvent(.expire)
        expire.subject = 255
        expire.expiry = -5
        #expect(trace.events == [put, expire])
    }

    @Test func aCutOffLastLineIsLeftOut() throws {
        let whole = TraceTests.head + "\n" + #"{"op":"compact"}"# + "\n"
        let trace = try read(Array((whole + #"{"op":"comp"#).utf8))
        #expect(trace.isCutOff)
        #expect(trace.events == [TraceEvent(.compact)])
        expectError(.badEncoding) { try read(Array(TraceTests.head.utf8)) }
        expectError(.badEncoding) { try read([]) }
    }

    @Test(arguments: [
        #"{"op":"put","id":"00000000000000ff"}"#, #"{"op":"get","id":"00000000000000fg"}"#,
        #"{"op":"get","id":"ff"}"#, #"{"op":"get"}"#, #"{"op":7}"#, "[]", "", "{", #"{"op":"get","id":5}"#,
        #"{"op":"compact","db":0}"#, #"{"op":"compact","db":10001}"#, #"{"op":"compact","th":-1}"#,
        #"{"op":"compact","at":1.5}"#, #"{"op":"compact","ns":18446744073709551615}"#,
        #"{"op":"get","id":"00000000000000ff","size":67108865}"#,
        #"{"op":"stage","content":"00000000000000ff","size":1099511627777}"#,
        #"{"op":"insert","id":"00000000000000ff","rev":"00000000000000ff","gen":9,"history":65537}"#,
        #"{"op":"insert","id":"00000000000000ff","rev":"00000000000000ff","gen":2,"history":3}"#,
        #"{"op":"insert","id":"00000000000000ff","rev":"00000000000000ff","gen":4,"history":3,"gap":3}"#,
        #"{"op":"put","id":"00000000000000ff","rev":"00000000000000ff","contents":["00000000000000ff"]}"#,
        #"{"op":"put","id":"00000000000000ff","rev":"00000000000000ff","lengths":["x"],"contents":["00000000000000ff"]}"#,
        #"{"op":"query","view":"00000000000000ff","reduce":1}"#, #"{"op":"index","views":"00000000000000ff"}"#,
    ])
    func aBadLineIsRefusedWithItsNumber(_ line: String) throws {
        do {
            _ = try read(TraceTests.head, #"{"op":"compact"}"#, line)
            Issue.record("It was taken.")
        } catch let error as StorageError {
            #expect(error.code == .badEncoding)
            #expect(error.message.contains("Line 3 "), "\(error.message)")
        }
    }

    @Test func otherFilesAreRefused() throws {
        expectError(.badEncoding) { try read("{}") }
        expectError(.badEncoding) { try read(#"{"format":"1"}"#) }
        expectError(.unsupportedFormat) { try read(#"{"format":2}"#) }
        expectError(.fileSystem) { try Trace(contentsOf: folder.url) }
        expectError(.fileSystem) { try Trace(contentsOf: folder.url.appending(path: "none")) }
        expectError(.fileSystem) { try Trace(contentsOf: URL(filePath: "/dev/zero")) }
    }

    @Test func aLineThatIsTooLongIsRefused() throws {
        let long = #"{"op":"compact","x":""# + String(repeating: "x", count: 1 << 17) + "\"}"
        expectError(.tooLarge) { try read(TraceTests.head, long) }
        // Without an end it is not read to the end either.
        expectError(.tooLarge) {
            try read(Array(TraceTests.head.utf8) + [0x0A] + [UInt8](repeating: 0x20, count: 1 << 21))
        }
        let views = Array(repeating: "\"00000000000000ff\"", count: 1001).joined(separator: ",")
        expectError(.badEncoding) { try read(TraceTests.head, #"{"op":"index","views":[\#(views)]}"#) }
    }

    @Test func snapshotsInEachOtherHaveALimit() throws {
        let trace = Trace(Array(repeating: TraceEvent(.snapshot), count: 100_000))
        expectError(.badRequest) { try TraceReplay(trace) }
    }

    /// Changed bytes, lines and members: the trace is refused, or replayed to an end with equal content.
    @Test func changedTracesDoNoHarm() throws {
        let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let work = try RecordedWork(.memory, seed: seed)
        try work.work(60)
        let original = try work.text()
        var replayed = 0
        for round in 0..<(isLong ? 5000 : 60) {
            let changed = mutated(original, &random)
            let trace: Trace
            do {
                trace = try read(changed)
            } catch let error as StorageError {
                #expect([.badEncoding, .tooLarge, .unsupportedFormat].contains(error.code), "seed \(seed), \(round)")
                continue
            }
            guard let replay = try? TraceReplay(trace), replay.bytesToWrite < 1 << 24 else { continue }
            var digests: Set<String> = []
            for type in [StorageType.memory, .sqlite] {
                let bed = try TestDatabase(type)
                try replay.run(database: { _ in bed.database })
                digests.insert(try bed.database.contentDigest())
                try bed.manager.close()
            }
            #expect(digests.count == 1, "seed \(seed), \(round)")
            replayed += 1
        }
        #expect(replayed > 0, "seed \(seed)")
    }

    private func mutated(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var lines = text.split(separator: 0x0A).map { Array($0) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 1..<lines.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: lines.remove(at: place)
            case 1: lines.swapAt(place, Int.random(in: 1..<lines.count, using: &random))
            case 2: lines.insert(lines[place], at: Int.random(in: 1..<lines.count, using: &random))
            case 3:
                // A digit for another one.
                let digits = lines[place].indices.filter { (0x30...0x39).contains(lines[place][$0]) }
                guard let digit = digits.randomElement(using: &random) else { continue }
                lines[place][digit] = UInt8.random(in: 0x30...0x39, using: &random)
            case 4:
                let other = Int.random(in: 1..<lines.count, using: &random)
                lines[place] = Array(
                    lines[other].prefix(lines[place].count / 2) + lines[place].suffix(lines[place].count / 2)
                )
            default:
                guard Int.random(in: 0..<4, using: &random) == 0,
                    let byte = lines[place].indices.randomElement(using: &random)
                else { continue }
                lines[place][byte] = UInt8.random(in: .min ... .max, using: &random)
            }
        }
        return Array(lines.joined(separator: [0x0A])) + [0x0A]
    }
}
