internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// 100 MB go in and out with little memory.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil))
struct LargeContentTests {
    private static let pieces = 1_600
    private static let piece = ByteBuffer(bytes: (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    private static var length: Int { pieces * piece.readableBytes }

    /// Counts what a stream writes.
    private final class CountingSink: AnswerSink {
        private let count = Locked(0)
        var bytes: Int { count.withLock { $0 } }

        func write(_ bytes: ByteBuffer) async throws { count.withLock { $0 += bytes.readableBytes } }
    }

    /// A body that comes while there is room for it, as from a socket.
    private static func body(_ before: [UInt8], _ after: [UInt8]) -> BodyReader {
        let (room, continuation) = AsyncStream<Void>.makeStream()
        let body = BodyReader(isHeld: false) { continuation.yield() }
        Task {
            var room = room.makeAsyncIterator()
            let pieces =
                [ByteBuffer(bytes: before)] + Array(repeating: piece, count: pieces) + [ByteBuffer(bytes: after)]
            for piece in pieces where body.append(piece) { await room.next() }
            body.end()
        }
        return body
    }

    /// The memory that the process has, in bytes.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4_096
    }

    /// Runs `body`, and returns by how much memory grew at most, looked at again and again.
    private static func growth(_ body: () async throws -> Void) async throws -> Int {
        let before = try residentBytes()
        let highest = Locked(before)
        let watching = Locked(true)
        let thread = Thread {
            while watching.withLock({ $0 }) {
                if let now = try? residentBytes() { highest.withLock { $0 = max($0, now) } }
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
        thread.start()
        defer { watching.withLock { $0 = false } }
        try await body()
        return highest.withLock { $0 } - before
    }

    private func receive(_ path: String, _ headers: [String: String] = [:], from bed: AttachmentBed) async throws -> Int
    {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost:5984", path: path)
        for (name, value) in headers { try head.headerFields[#require(HTTPField.Name(name))] = value }
        let answer = await bed.core.respond(ListenerRequest(head: head), BodyReader(bytes: []))
        let sink = CountingSink()
        try #require(answer.status == 200)
        guard case .stream(_, let write) = answer.body else { return 0 }
        try await write(sink)
        return sink.bytes
    }

    @Test func takesLittleMemory() async throws {
        try await withAttachments(.sqlite) { bed in
            let growth = try await LargeContentTests.growth {
                #expect(await bed.send(.put, "/db/d/a", [:], LargeContentTests.body([], [])).status == 201)
                #expect(try await receive("/db/d/a", from: bed) == LargeContentTests.length)
                let before = "--b\r\n\r\n{\"_attachments\":{\"a\":{\"follows\":true}}}\r\n--b\r\n\r\n"
                let body = LargeContentTests.body(Array(before.utf8), Array("\r\n--b--".utf8))
                let type = ["Content-Type": "multipart/related; boundary=b"]
                #expect(await bed.send(.put, "/db/e", type, body).status == 201)
                for path in ["/db/e?attachments=true", "/db/e?open_revs=all"] {
                    let count = try await receive(path, ["Accept": "multipart/*"], from: bed)
                    #expect(count > LargeContentTests.length, "\(path)")
                }
            }
            #expect(growth < 48 << 20, "\(growth >> 20) MiB")
        }
    }
}
