internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Settee
internal import Testing

@testable internal import SetteeListener

/// Feeds whose readers lose their right while they read.
@Suite(.timeLimit(.minutes(10))) struct ReviewedFeedTests {
    /// The promised second holds where the processors are not busy with other tests.
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let rob = basic("rob")
    private static let feeds = ["continuous", "continuous&heartbeat=1000", "longpoll", "eventsource&heartbeat=1000"]
    private static let secret = [UInt8](repeating: 0x5A, count: 32)

    private static func basic(_ name: String) -> HTTPFields {
        [.authorization: "Basic " + Data("\(name):\(name)'s word".utf8).base64EncodedString()]
    }

    /// Begins a feed, lets `change` take the reader's right, and expects the feed to end within a second, without a
    /// document that was written after that.
    private func expectEnd(
        of feed: String,
        on bed: ListenerBed,
        as reader: HTTPFields = rob,
        isIdle: Bool = false,
        by change: () async throws -> Void
    ) async throws {
        let answer = await bed.answer(.get, "/db/_changes?since=now&include_docs=true&feed=\(feed)", headers: reader)
        #expect(answer.status == .ok)
        guard case .stream(_, let write) = answer.body else {
            Issue.record("not a stream")
            return
        }
        let sink = CollectingSink()
        let writing = Task { try await write(sink) }
        try await eventually { bed.core.feeds.present == 1 }
        // Long enough for the feed to wait.
        try await Task.sleep(for: .milliseconds(300))
        try await change()
        let began = ContinuousClock.now
        if !isIdle {
            try await Task.sleep(for: .seconds(1))
            _ = try bed.database["secret\(UInt64.random(in: 0 ... .max))"].put(["content": "Zq"])
        }
        try await writing.value
        #expect(ContinuousClock.now - began < .milliseconds(isIdle ? 1_000 : 1_500) || !Self.isLong)
        #expect(!sink.text.contains("Zq"), "\(feed): \(sink.text)")
        if feed.hasPrefix("longpoll") {
            #expect(sink.text.contains(#""last_seq":"#))
        } else {
            #expect(sink.text.contains(#""error":""#), "\(sink.text)")
        }
    }

    @Test("a feed ends within a second when _security locks its reader out", arguments: feeds)
    func security(feed: String) async throws {
        for type in ListenerBed.types {
            for isIdle in [true, false] {
                try await withListener(type, access: AccessConfiguration(users: PolicyFixture.table)) { bed in
                    try await expectEnd(of: feed, on: bed, isIdle: isIdle) {
                        let locked = #"{"members":{"names":["ida"],"roles":[]}}"#
                        let reply = try await bed.send(.put, "/db/_security", locked, headers: Self.basic("ada"))
                        #expect(reply.status == 200)
                    }
                }
            }
        }
    }

    @Test("a feed ends when another process has written _security", arguments: feeds)
    func securityFromElsewhere(feed: String) async throws {
        try await withListener(.sqlite, access: AccessConfiguration(users: PolicyFixture.table)) { bed in
            try await expectEnd(of: feed, on: bed, isIdle: true) {
                try bed.database.info.set(#"{"members":{"names":["ida"]}}"#, for: "couchdb/_security")
            }
        }
    }

    @Test("a feed ends when the users' file has lost its reader, or has another password or role", arguments: feeds)
    func users(feed: String) async throws {
        let others = [
            [], [try UsersFile.entry("rob", "another", ["reader"])], [try UsersFile.entry("rob", "rob's word", ["x"])],
        ]
        for (place, other) in others.enumerated() {
            let file = try UsersFile([try UsersFile.entry("rob", "rob's word", ["reader"])])
            try await withListener(.memory, access: AccessConfiguration(users: try .file(file.path))) { bed in
                try await expectEnd(of: feed, on: bed, isIdle: place > 0) {
                    try file.write([try UsersFile.entry("ida", "ida's word")] + other)
                }
            }
        }
    }

    @Test("a feed ends when its reader's token does", arguments: feeds)
    func token(feed: String) async throws {
        var access = AccessConfiguration()
        access.tokens = try TokenRules(keys: [.hs256(secret: Self.secret)])
        try await withListener(.memory, access: access) { bed in
            let end = Int64(Date().timeIntervalSince1970) + 3
            let claims = #"{"sub":"rob","_couchdb.roles":["reader"],"exp":\#(end)}"#
            let text = [#"{"alg":"HS256"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(text.utf8),
                using: SymmetricKey(data: Self.secret)
            )
            let reader: HTTPFields = [.authorization: "Bearer \(text).\(Base64URL.encode(code))"]
            try await expectEnd(of: feed, on: bed, as: reader, isIdle: true) {
                let rest = Double(end) - Date().timeIntervalSince1970
                try await Task.sleep(for: .seconds(max(0, rest)))
            }
        }
    }

    @Test("a feed goes on where a change leaves its reader the right", arguments: ["continuous", "longpoll"])
    func goesOn(feed: String) async throws {
        let entry = try UsersFile.entry("rob", "rob's word", ["reader"])
        let file = try UsersFile([entry])
        try await withListener(.memory, access: AccessConfiguration(users: try .file(file.path))) { bed in
            let answer = await bed.answer(.get, "/db/_changes?feed=\(feed)&limit=1", headers: Self.rob)
            guard case .stream(_, let write) = answer.body else { return }
            let sink = CollectingSink()
            let writing = Task { try await write(sink) }
            try await eventually { bed.core.feeds.present == 1 }
            try file.write([try UsersFile.entry("ida", "ida's word"), entry])
            try bed.database.info.set(#"{"members":{"names":["rob"]}}"#, for: "couchdb/_security")
            try await Task.sleep(for: .seconds(1))
            _ = try bed.database["x"].put(["content": "Zq"])
            try await writing.value
            #expect(sink.text.contains(#""id":"x""#))
        }
    }
}
