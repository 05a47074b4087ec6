internal import Settee
internal import SetteeDocumentValues
internal import SetteeListener
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// A peer that speaks to a listener.
@Suite(.timeLimit(.minutes(5))) struct RemotePeerTests {
    @Test("what a database says of itself; one that is not there is not found")
    func information() async throws {
        try await RemoteBed.run { bed in
            let first = try await bed.peer().information()
            #expect(first.uuid != nil && first.lastSequence == 0)
            try bed.database["a"].put(["n": 1])
            let second = try await bed.peer("db/").information()
            #expect(second.uuid == first.uuid && second.startTime == first.startTime && second.lastSequence == 1)
            #expect(await failure { _ = try await bed.peer("none").information() }?.kind == .notFound)
        }
    }

    @Test("a checkpoint is written, replaced and read, and an old one is a conflict")
    func checkpoints() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            #expect(try await peer.checkpoint("c") == nil)
            let first = try await peer.save(["last": 1], as: "c", replacing: nil)
            let second = try await peer.save(["last": 2], as: "c", replacing: first)
            #expect(try await peer.checkpoint("c") == PeerCheckpoint(revision: second, body: ["last": 2]))
            let error = await failure { _ = try await peer.save(["last": 3], as: "c", replacing: first) }
            #expect(error?.kind == .conflict)
            try await peer.commit()
        }
    }

    @Test("another filter function of the server is another replication")
    func filterVersion() async throws {
        try await RemoteBed.run { bed in
            var configuration = ReplicatorConfiguration(database: bed.database, target: .url("http://a.example/db"))
            configuration.direction = .pull
            configuration.pull.remoteFilter = RemoteFilter("d/f")
            let peer = try bed.peer()
            var ids: Set<String> = []
            for text in [nil, "doc => true", "doc => false"] {
                if let text { try bed.database["_design/d"].update { $0["filters"] = ["f": .string(text)] } }
                for _ in 0..<2 { ids.insert(try await CheckpointNames(configuration, .pull, peer).id) }
            }
            #expect(ids.count == 3)
        }
    }

    @Test("a document that is nested as deep as a database holds goes there and comes back")
    func deepDocument() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            let json = String(repeating: #"{"a":"#, count: 512) + "1" + String(repeating: "}", count: 512)
            #expect(try await peer.insert([.make("a", ["1-a"], json)], from: ContentSource()) == [.added])
            let answer = try await peer.collected([RevisionWish("a", "1-a")])[0][0].found
            #expect(answer.map { String(decoding: $0.json, as: UTF8.self) } == json)
        }
    }

    @Test("revisions go there and come back as they were, with what was missing told")
    func documents() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            let offered = [
                OfferedDocument(id: "a", revisions: ["2-b"]), OfferedDocument(id: "é/ü", revisions: ["1-a", "1-b"]),
                OfferedDocument(id: "_design/d", revisions: ["1-d"]),
            ]
            let all = try await peer.missing(offered)
            #expect(all.map { $0?.missing } == offered.map(\.revisions))
            var tombstone = TransferredRevision.make("é/ü", ["1-b"])
            tombstone.isDeleted = true
            let sent = [
                TransferredRevision.make("a", ["2-b", "1-a"], #"{"n":1}"#), .make("é/ü", ["1-a"]), tombstone,
                .make("_design/d", ["1-d"]),
            ]
            let outcomes = try await peer.insert(sent, from: ContentSource())
            #expect(outcomes == Array(repeating: .added, count: 4))
            #expect(try await peer.missing(offered).allSatisfy { $0 == nil })
            let next = try await peer.missing([OfferedDocument(id: "a", revisions: ["3-c", "2-b"])])
            #expect(next == [LackedRevisions(missing: ["3-c"], possibleAncestors: ["2-b"])])
            let wishes = [
                RevisionWish("a", "2-b"), RevisionWish("none", "1-x"), RevisionWish("é/ü", "1-a", "1-b"),
                RevisionWish("_design/d", "1-d"),
            ]
            let answers = try await peer.collected(wishes)
            #expect(answers[0].map(\.found) == [sent[0]] && answers[3].map(\.found) == [sent[3]])
            #expect(answers[1].count == 1 && answers[1][0].isMissing && answers[1][0].error == nil)
            let pair = answers[2].compactMap(\.found)
            #expect(pair.count == 2 && pair.contains(sent[1]) && pair.contains(tombstone))
            #expect(try bed.database["a"].properties?["n"]?.intValue == 1)
        }
    }

    @Test("a document that is refused does not keep others from being stored")
    func refused() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            let sent = [
                TransferredRevision.make("a", ["1-a"]), .make("b", ["1-b"], #"{"_bad":1}"#), .make("c", ["1-c"]),
            ]
            let outcomes = try await peer.insert(sent, from: ContentSource())
            #expect(outcomes[0] == .added && outcomes[2] == .added)
            guard case .refused(let error) = outcomes[1] else { throw PeerError(.badAnswer, "taken") }
            #expect(error.kind == .badDocument)
            #expect(try bed.database.documentCount == 2)
        }
    }

    @Test("changes come page by page, and a wait ends with the first one or with the time")
    func changes() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            for number in 0..<5 { try bed.database["d\(number)"].put(["n": 1]) }
            try bed.database["d4"].delete()
            let first = try await peer.changes(ChangesQuery(limit: 3))
            #expect(first.rows.map(\.id) == ["d0", "d1", "d2"] && !first.isAtEnd)
            let rest = try await peer.changes(ChangesQuery(since: first.lastSequence, limit: 3))
            #expect(rest.rows.map(\.id) == ["d3", "d4"] && rest.isAtEnd && rest.rows[1].isDeleted)
            let since = rest.lastSequence
            let none = try await peer.changes(ChangesQuery(since: since, limit: 3, wait: .milliseconds(50)))
            #expect(none.rows.isEmpty && none.lastSequence == since && none.isAtEnd)
            async let waiting = peer.changes(ChangesQuery(since: since, limit: 3, wait: .seconds(60)))
            try await Task.sleep(for: .milliseconds(50))
            try bed.database["e"].put(["n": 1])
            #expect(try await waiting.rows.map(\.id) == ["e"])
            let some = try await peer.changes(ChangesQuery(limit: 9, filter: .documentIDs(["d1", "e"])))
            #expect(some.rows.map(\.id) == ["d1", "e"])
            let chosen = try await peer.changes(ChangesQuery(limit: 9, filter: .selector(["n": 1])))
            #expect(chosen.rows.count == 5)
        }
    }

    @Test("a login: none, a wrong one, by each request, in the URL, by a session")
    func logins() async throws {
        let user = ListenerUsers.User(password: "a:b é", roles: ["admin"])
        try await RemoteBed.run(AccessConfiguration(users: .table(["ida": user]))) { bed in
            #expect(await failure { _ = try await bed.peer().information() }?.kind == .unauthorized)
            for wrong in [Authenticator.basic("ida", "no"), .session("ida", "no")] {
                #expect(await failure { _ = try await bed.peer("db", wrong).information() }?.kind == .unauthorized)
            }
            for right in [Authenticator.basic("ida", "a:b é"), .session("ida", "a:b é")] {
                let information = try await bed.peer("db", right).information()
                #expect(information.lastSequence == 0)
            }
            let url = try #require(bed.listener.url).replacing("http://", with: "http://ida:a%3Ab%20%C3%A9@")
            let peer = try RemotePeer(RemoteEndpoint(url + "db"), pauses: [])
            #expect(try await peer.information().lastSequence == 0)
            #expect(!peer.name.contains("ida") && !peer.name.contains("@"))
        }
    }

    @Test("a read-only listener takes checkpoints and no documents")
    func readOnly() async throws {
        var access = AccessConfiguration()
        access.isReadOnly = true
        try await RemoteBed.run(access) { bed in
            let peer = try bed.peer()
            _ = try await peer.save(["last": 1], as: "c", replacing: nil)
            let error = await failure { _ = try await peer.insert([.make("a", ["1-a"])], from: ContentSource()) }
            #expect(error?.kind == .forbidden)
        }
    }
}
