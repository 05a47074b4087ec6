internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Contents between the network and the disk.
@Suite struct ContentLumpsTests {
    private static let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }

    @Test(
        "all bytes come once and in their order",
        arguments: [0, 1, 99_999, 100_000, 700_001, 2_000_000],
        [0, 50_000]
    )
    func order(_ start: Int, before: Int) async throws {
        // The peer may begin before the byte that was asked for.
        let pieces = Pieces(Self.content, from: max(0, start - before))
        let lumps = ContentLumps(pieces, from: UInt64(start))
        var all: [UInt8] = []
        while let lump = try await lumps.next() { all += lump.withBytes { $0 } }
        #expect(all == Array(Self.content[start...]))
        #expect(try await lumps.next() == nil)
    }

    @Test("a lump stays as it is while the next one comes")
    func turns() async throws {
        let lumps = ContentLumps(Pieces(Self.content, from: 0), from: 0)
        let first = try #require(try await lumps.next())
        let bytes = first.withBytes { $0 }
        #expect(bytes.count >= 512 << 10 && bytes.count < 1 << 20)
        let second = try #require(try await lumps.next())
        #expect(first.withBytes { $0 } == bytes)
        #expect(second.withBytes { $0 } == Array(Self.content[bytes.count..<bytes.count + second.count]))
    }

    @Test("where the pieces break off, what has come is there first", arguments: [0, 3, 7])
    func breaks(_ count: Int) async throws {
        let lumps = ContentLumps(Pieces(Self.content, from: 0, breakAfter: count), from: 0)
        var all: [UInt8] = []
        await #expect(throws: PeerError.self) {
            while let lump = try await lumps.next() { all += lump.withBytes { $0 } }
        }
        #expect(all == Array(Self.content.prefix(count * Pieces.length)))
        await #expect(throws: PeerError.self) { _ = try await lumps.next() }
    }

    /// Pieces of 100,000 bytes.
    private final class Pieces: ContentPieces {
        static let length = 100_000
        let offset: UInt64
        let isEncoded = true
        private let rest: Locked<ArraySlice<UInt8>>
        private let piecesLeft: Locked<Int>

        init(_ bytes: [UInt8], from offset: Int, breakAfter count: Int = .max) {
            self.offset = UInt64(offset)
            rest = Locked(bytes[offset...])
            piecesLeft = Locked(count)
        }

        func next() async throws -> [UInt8]? {
            let mayGoOn = piecesLeft.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            guard mayGoOn else { throw PeerError.cut }
            return rest.withLock { rest in
                defer { rest = rest.dropFirst(Pieces.length) }
                return rest.isEmpty ? nil : Array(rest.prefix(Pieces.length))
            }
        }

        func close() async {}
    }
}
