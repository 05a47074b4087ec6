internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Answers that are not whole, or not in turn. None ends the program.
@Suite(.timeLimit(.minutes(20))) struct AnswerPieceTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let info = #"{"db_name":"db","update_seq":7,"instance_start_time":"0"}"#

    @Test("an interim answer before the end of the connection is an error", arguments: [100, 101, 102, 103, 199])
    func interim(status: Int) async throws {
        try await PieceServer.run {
            [Array("HTTP/1.1 \(status) X\r\n\r\n".utf8)]
        } _: { port in
            let peer = try peer(port)
            let error = await failure { _ = try await peer.information() }
            #expect(error != nil)
            let written = await failure { _ = try await peer.insert([.make("a", ["1-a"])], from: peer) }
            #expect(written != nil)
        }
    }

    @Test("an interim answer before an answer is passed over")
    func interimFirst() async throws {
        let interim = "HTTP/1.1 103 X\r\nLink: x\r\n\r\nHTTP/1.1 100 X\r\n\r\n"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.info.utf8.count)\r\n\r\n\(Self.info)"
        try await PieceServer.run {
            [Array(interim.utf8), Array(answer.utf8)]
        } _: { port in
            let information = try await peer(port).information()
            #expect(information.lastSequence == 7)
        }
    }

    @Test("random pieces of HTTP, 100,000 rounds in the long form", arguments: [1, 2, 3, 4] as [UInt64])
    func pieces(seed: UInt64) async throws {
        let pieces = AnswerPieces(seed)
        try await PieceServer.run {
            pieces.next()
        } _: { port in
            let peer = try peer(port)
            let contents = ContentSource(contents: ["x": [UInt8](repeating: 1, count: 100_000)])
            let body = #"{"_attachments":{"x":{"stub":true,"digest":"md5-x","length":100000,"content_type":"a/b"}}}"#
            let large = TransferredRevision.make("a", ["1-a"], body, attachments: true)
            for round in 0..<(Self.isLong ? 25_000 : 250) {
                // An error is as good as a success.
                switch round % 8 {
                case 0: _ = try? await peer.insert([large], from: contents)
                case 1, 2: _ = try? await peer.insert([.make("a", ["1-a"])], from: contents)
                default: _ = try? await peer.information()
                }
            }
        }
    }

    private func peer(_ port: Int) throws -> RemotePeer {
        var endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/db")
        endpoint.silenceTimeout = .seconds(5)
        return try RemotePeer(endpoint, authenticator: nil, pauses: [])
    }

    @Test("a head above 60 KiB is not sent: a document fails by its name, headers end the run")
    func longHead() async throws {
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { server in
            let contents = ContentSource(contents: [:])
            // So large a content does not go in base64.
            let body = #"{"_attachments":{"x":{"stub":true,"digest":"md5-x","length":30000000,"content_type":"a/b"}}}"#
            for length in [20_400, 22_000, 66_000] {
                let id = String(repeating: "\u{1}", count: length)
                let revision = TransferredRevision.make(id, ["1-a"], body, attachments: true)
                let outcomes = try await server.peer().insert([revision], from: contents)
                guard case .refused(let error) = try #require(outcomes.first) else {
                    Issue.record("It was not refused.")
                    continue
                }
                #expect(error.status == 414)
                #expect(error.message.contains("32 MiB"))
            }
            var endpoint = try RemoteEndpoint("http://127.0.0.1:\(server.port)/db")
            endpoint.headers = ["X-Long": String(repeating: "x", count: 124_000)]
            let peer = try RemotePeer(endpoint, authenticator: nil, pauses: [])
            let asked = await failure { _ = try await peer.information() }
            let written = await failure { _ = try await peer.insert([.make("a", ["1-a"])], from: peer) }
            #expect(asked?.status == 431)
            #expect(written?.status == 431)
        }
    }
}
