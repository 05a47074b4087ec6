internal import NIOCore
internal import SetteeCouchProtocol
internal import Testing

@testable internal import SetteeListener

/// `BodyReader` without a socket.
@Suite(.timeLimit(.minutes(10))) struct BodyReaderTests {
    @Test(arguments: [0, 1, 100_000])
    func bytesInMemoryAreRead(count: Int) async throws {
        let body = BodyReader(bytes: [UInt8](repeating: 1, count: count))
        #expect(body.isFinished == (count == 0))
        #expect(try await body.all().count == count)
        #expect(body.isFinished)
        #expect(try await body.next() == nil)
    }

    @Test func whatCameIsReadBeforeTheError() async throws {
        let body = BodyReader(isHeld: false) {}
        _ = body.append(ByteBuffer(string: "abc"))
        body.end(.slowBody)
        body.end()
        #expect(try await body.next() == ByteBuffer(string: "abc"))
        for _ in 0..<2 {
            await #expect(throws: CouchError.slowBody) { try await body.next() }
        }
        #expect(!body.isFinished)
    }

    @Test func theConnectionIsHeldAtTheLimitAndAskedOnce() async throws {
        let asked = StopSignal()
        let body = BodyReader(isHeld: false) {
            #expect(!asked.isStopping)
            asked.stop()
        }
        let piece = ByteBuffer(repeating: 1, count: 16_384)
        for index in 1...4 { #expect(body.append(piece) == (index == 4)) }
        for index in 1...3 {
            _ = try await body.next()
            #expect(!asked.isStopping || index == 3)
        }
        _ = try await body.next()
        #expect(asked.isStopping)
    }

    @Test func smallPiecesAreJoined() async throws {
        let body = BodyReader(isHeld: false) {}
        for index in 0..<10_000 { _ = body.append(ByteBuffer(bytes: [UInt8(index & 255)])) }
        body.end()
        var (pieces, bytes): (Int, [UInt8]) = (0, [])
        while let piece = try await body.next() {
            pieces += 1
            bytes += piece.readableBytesView
        }
        #expect(pieces == 1)
        #expect(bytes == (0..<10_000).map { UInt8($0 & 255) })
    }

    @Test func waitingEndsWhenTheTaskIsCancelled() async throws {
        let body = BodyReader(isHeld: false) {}
        let reading = Task { try await body.next() }
        let watching = Task { await body.whenClientGone() }
        let other = Task { await body.whenClientGone() }
        reading.cancel()
        watching.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        await watching.value
        // The body is as good as before.
        _ = body.append(ByteBuffer(string: "x"))
        #expect(try await body.next() == ByteBuffer(string: "x"))
        body.clientGone()
        await other.value
        await body.whenClientGone()
    }

    @Test func aSecondReaderIsRefused() async throws {
        let body = BodyReader(isHeld: true) {}
        let first = Task { try await body.next() }
        let second = Task { try await body.next() }
        // One of them waits, the other is refused; the end frees the one that waits.
        let results = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await first.value) != nil }
            group.addTask { (try? await second.value) != nil }
            let refused = await group.next()
            _ = body.append(ByteBuffer(string: "x"))
            return (refused, await group.next())
        }
        #expect(results == (false, true))
    }
}
