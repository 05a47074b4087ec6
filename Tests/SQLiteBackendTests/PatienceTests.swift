internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// How long the beginning of a write transaction waits for another program.
@Suite struct PatienceTests {
    @Test("waits for another program's write no longer than the patience", .timeLimit(.minutes(1)))
    func endsWithThePatience() throws {
        let store = try TestStore.filled(1)
        let engine = try store.open()
        defer { engine.close() }
        let other = try Connection(store.path, flags: 2, library: .linked())
        defer { other.close() }
        try other.execute("BEGIN IMMEDIATE")
        for patience in [Duration.zero, .seconds(-1), .milliseconds(20)] {
            let start = ContinuousClock.now
            #expect(code { try engine.beginWrite(patience: patience).rollback() } == .busy)
            #expect(ContinuousClock.now - start < .seconds(5), "\(patience)")
        }
        try other.execute("ROLLBACK")
        try engine.beginWrite(patience: .zero).rollback()
    }
}
