internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeReplicator

@Suite("Checkpoints as logs")
struct CheckpointLogTests {
    private func log(_ sequences: ClosedRange<Int>) -> CheckpointLog {
        var log = CheckpointLog()
        for sequence in sequences { log.add("s\(sequence)", at: JSONValue(sequence), [:]) }
        return log
    }

    @Test("a body that was written is read as it was")
    func body() {
        let log = log(1...5)
        #expect(CheckpointLog(log.body) == CheckpointLog(CheckpointLog(log.body)?.body ?? [:]))
        #expect(log.body["source_last_seq"] == 5)
        #expect(log.body["session_id"] == "s5")
        #expect(CheckpointLog(log.body)?.sequence == 5)
    }

    @Test("two logs meet in the newest session that both have")
    func common() {
        #expect(log(1...5).common(with: log(1...3))?.sequence == 3)
        #expect(log(1...3).common(with: log(1...5))?.sequence == 3)
        #expect(log(1...5).common(with: CheckpointLog()) == nil)
    }

    @Test("a session of the same ID and another sequence is none in common")
    func otherSequence() {
        var other = CheckpointLog()
        other.add("s5", at: 7, [:])
        #expect(log(1...5).common(with: other) == nil)
    }

    @Test("a log has at most 50 sessions: the newest, and old ones with gaps that grow")
    func thinning() {
        let log = log(1...10_000)
        #expect(log.history.count == 50)
        #expect(log.history.prefix(16).map(\.sequence) == (0..<16).map { JSONValue(10_000 - $0) })
        // A side that was restored to any state loses a part of what came after it.
        for age in [20, 100, 1_000, 5_000] {
            let old = log.history.first { $0.number <= Int64(10_000 - age) }
            #expect((old?.number ?? 0) > Int64(10_000 - 3 * age), "\(age)")
        }
    }

    @Test("what is no log is none")
    func malformed() {
        #expect(CheckpointLog([:]) == nil)
        #expect(CheckpointLog(["history": "x"]) == nil)
        #expect(CheckpointLog(["history": [1, ["session_id": 3]]]) == nil)
    }

    @Test("rows that are done out of order do not move the prefix over one that is not")
    func prefix() {
        var prefix = DonePrefix()
        let rows = (1...3_000).map { prefix.add(JSONValue($0)) }
        let settled = rows.dropFirst().reversed().map { prefix.settle($0) }
        #expect(!settled.contains(false))
        #expect(prefix.sequence == nil)
        #expect(prefix.openRows == 1)
        prefix.extend(rows[0], by: 1)
        let isDone = prefix.settle(rows[0])
        #expect(!isDone)
        #expect(prefix.sequence == nil)
        let isDoneNow = prefix.settle(rows[0])
        #expect(isDoneNow)
        #expect(prefix.sequence == 3_000)
        prefix.addEnd(3_010)
        #expect(prefix.sequence == 3_010)
    }
}
