internal import NIOCore
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Answers in pieces, as long as the client takes.
@Suite struct AnswerPiecesTests {
    /// A client that takes a while for each piece.
    private struct SlowSink: AnswerSink {
        let collecting = CollectingSink()

        func write(_ bytes: ByteBuffer) async throws {
            try await collecting.write(bytes)
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    /// Writes so many bytes, each the number of its place.
    private func write(_ count: Int, to sink: some AnswerSink) async throws {
        try await sink.writePieces(after: 0) { done, size in
            guard done < count else { return nil }
            let piece = (done..<min(done + size, count)).map { UInt8(truncatingIfNeeded: $0) }
            return (done + piece.count, ByteBuffer(bytes: piece))
        }
    }

    @Test func aSlowClientGetsSmallPieces() async throws {
        let sink = SlowSink()
        try await write(1 << 20, to: sink)
        #expect(sink.collecting.collected.1 == 65_536)
        #expect(sink.collecting.bytes == (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 600_000, 5_000_000]) func allArrivesInOrder(_ count: Int) async throws {
        let sink = CollectingSink()
        try await write(count, to: sink)
        #expect(sink.collected.1 <= 262_144)
        #expect(sink.bytes == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test(arguments: [0, 3, 12]) func whatFailsEndsTheAnswer(_ good: Int) async throws {
        let sink = CollectingSink()
        await #expect(throws: CollectingSink.Gone.self) {
            try await sink.writePieces(after: 0) { number, size in
                guard number < good else { throw CollectingSink.Gone() }
                return (number + 1, ByteBuffer(repeating: 7, count: size))
            }
        }
        #expect(sink.bytes.isEmpty == (good == 0))
    }
}
