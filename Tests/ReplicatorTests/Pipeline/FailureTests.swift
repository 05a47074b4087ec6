internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Replications that fail")
struct FailureTests {
    private func fill(_ database: Database, _ count: Int) throws {
        try database.inTransaction {
            for number in 0..<count { _ = try database["d\(number)"].put(["n": number]) }
        }
        try database["with"].setAttachment(named: "x", contentType: nil, content: [UInt8](repeating: 1, count: 300_000))
    }

    @Test(
        "one call of many that fails is repeated",
        arguments: [ReplicationDirection.push, .pull],
        [2, 3, 5, 8]
    )
    func everyNth(_ direction: ReplicationDirection, _ nth: Int) async throws {
        let bed = try ReplicationBed()
        bed.limits.fetchDocuments = 5
        bed.limits.writeRevisions = 5
        bed.limits.retries = 20
        try fill(direction == .push ? bed.a : bed.b, 60)
        // Calls run side by side, so that one may meet several of them.
        let peer = FaultyPeer(LocalPeer(bed.b)) { call, count in
            guard call != .information, call != .checkpoint else { return }
            if count.isMultiple(of: nth) { throw PeerError.cut }
        }
        try await bed.replicator(bed.configuration(direction), to: peer).run()
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a revision that is superseded and compacted while its contents are fetched has not failed")
    func superseded() async throws {
        let bed = try ReplicationBed(.sqlite, .sqlite)
        try bed.b["with"].setAttachment(named: "x", contentType: nil, content: [UInt8](repeating: 1, count: 300_000))
        let b = bed.b
        let isFirst = Locked(true)
        let peer = FaultyPeer(LocalPeer(b)) { call, _ in
            guard call == .content else { return }
            let isNow = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isNow else { return }
            try b["with"].put(["n": 1], parent: b["with"].revision()?.id)
            try b.compact()
        }
        let replicator = bed.replicator(bed.configuration(.pull), to: peer)
        try await replicator.run()
        #expect(!isFirst.withLock { $0 })
        #expect(replicator.failedDocuments.isEmpty)
        try await bed.run(.pull)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a run that cannot go on throws, and the next one goes on", arguments: [ReplicationDirection.push, .pull])
    func cut(_ direction: ReplicationDirection) async throws {
        let bed = try ReplicationBed()
        bed.limits.fetchDocuments = 5
        bed.limits.writeRevisions = 5
        try fill(direction == .push ? bed.a : bed.b, 60)
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, count in if count > 8 { throw PeerError.cut } }
        let replicator = bed.replicator(bed.configuration(direction), to: peer)
        await #expect(throws: ReplicationError(.transient, "The connection was cut.")) { try await replicator.run() }
        #expect(replicator.status.error?.code == .transient)
        try await bed.run(direction)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test(
        "a batch with one bad document costs that document",
        arguments: [
            (PeerError.Kind.badDocument, 400), (.tooLarge, 413), (.forbidden, 403), (.badAnswer, 500),
            (.transient, 500), (.transient, 503), (.transient, 504), (.transient, 0),
        ],
        [FaultyPeer.Call.insert, .revisions, .missing]
    )
    func poisoned(_ failure: (kind: PeerError.Kind, status: Int), _ call: FaultyPeer.Call) async throws {
        let bed = try ReplicationBed()
        let isPull = call == .revisions
        try fill(isPull ? bed.b : bed.a, 200)
        let poison = PoisonedPeer(
            LocalPeer(bed.b),
            "d77",
            at: call,
            PeerError(failure.kind, status: failure.status, "It fails.")
        )
        let replicator = bed.replicator(bed.configuration(isPull ? .pull : .push), to: poison)
        let events = Locked<[ReplicatedDocument]>([])
        let listener = replicator.addDocumentListener { event in events.withLock { $0.append(event) } }
        try await replicator.run()
        let target = isPull ? bed.a : bed.b
        #expect(try contents(of: target).count == 200)
        #expect(try !target["d77"].exists)
        #expect(replicator.failedDocuments.map(\.documentID) == ["d77"])
        #expect(events.withLock { $0.filter { $0.error != nil }.map(\.documentID) } == ["d77"])
        #expect(events.withLock { $0.filter { $0.error == nil }.count } == 200)
        // It is not asked for again until somebody says so.
        try await replicator.run()
        #expect(try !target["d77"].exists)
        poison.isPoisoned.withLock { $0 = false }
        try await replicator.retryFailed()
        #expect(replicator.failedDocuments.isEmpty)
        try expectEqual(bed.a, bed.b)
        withExtendedLifetime(listener) {}
        try bed.close()
    }

    @Test("a document that came by another way has not failed any more")
    func known() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 50)
        bed.b.setValidation("no 7") { revision, context in
            if revision.documentID == "d7" { context.reject(withMessage: "Not this one.") }
        }
        var configuration = bed.configuration(.push)
        configuration.resetsCheckpoint = true
        let replicator = bed.replicator(configuration)
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["d7"])
        bed.b.setValidation("no 7", nil)
        configuration.documentIDs = ["d7"]
        try await bed.replicator(configuration).run()
        try await replicator.run()
        #expect(replicator.failedDocuments.isEmpty)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("what a validation refuses is told, and the rest arrives")
    func validation() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 50)
        bed.b.setValidation("no 7") { revision, context in
            if revision.documentID == "d7" { context.reject(withMessage: "Not this one.") }
        }
        let replicator = bed.replicator(bed.configuration(.push))
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["d7"])
        #expect(replicator.failedDocuments.first?.error?.code == .forbidden)
        #expect(try contents(of: bed.b).count == 50)
        bed.b.setValidation("no 7", nil)
        try await replicator.retryFailed()
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a push of which every document was refused ends with an error")
    func allRefused() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 20)
        _ = try bed.b["here"].put(["n": 1])
        bed.b.setValidation("none") { _, context in context.reject(withMessage: "Not today.") }
        let replicator = bed.replicator(bed.configuration(.pushAndPull))
        let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(error?.code == .allRefused && error?.status == 403)
        #expect(error?.message.contains("Not today.") == true)
        #expect(replicator.status.activity == .stopped && replicator.status.error?.code == .allRefused)
        #expect(replicator.failedDocuments.count == 21)
        #expect(try bed.a["here"].exists, "The pull goes on to its end.")
        // The checkpoint is past them: there is nothing that could be refused.
        try await replicator.run()
        #expect(replicator.status.error == nil)
        // One that arrives is enough.
        bed.b.setValidation("none") { revision, context in
            if revision.documentID != "fine" { context.reject(withMessage: "Not today.") }
        }
        for id in ["fine", "other"] { _ = try bed.a[DocumentID(id)].put(["n": 2]) }
        try await bed.replicator(bed.configuration(.push)).run()
        #expect(try bed.b["fine"].exists)
        try bed.close()
    }

    @Test("content with another digest is refused with its document")
    func wrongContent() async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, 5)
        let replicator = bed.replicator(bed.configuration(.pull), to: LyingPeer(LocalPeer(bed.b)))
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["with"])
        #expect(try contents(of: bed.a).count == 5)
        try bed.close()
    }

    @Test("content with another digest is fetched once more: a proxy may have answered")
    func wrongContentOnce() async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, 5)
        let replicator = bed.replicator(bed.configuration(.pull), to: LyingPeer(LocalPeer(bed.b), times: 1))
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == [])
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("content that a server has decoded has the length that its entry says, or it is refused")
    func wrongDecodedContent() async throws {
        // 300 bytes, encoded.
        let data = "H4sIAAAAAAACA8tIzcnJV8gYJYkgAcFIQlksAQAA"
        for length in [300, 55] {
            let bed = try ReplicationBed()
            let entry: JSONValue = ["content_type": "text/plain", "encoding": "gzip", "data": .string(data)]
            _ = try bed.b["with"].put(["_attachments": ["x": entry]])
            let peer = LyingPeer(LocalPeer(bed.b), decodedLength: length)
            let replicator = bed.replicator(bed.configuration(.pull), to: peer)
            try await replicator.run()
            #expect(try bed.a["with"].exists == (length == 300))
            #expect(replicator.failedDocuments.map(\.documentID) == (length == 300 ? [] : ["with"]))
            try bed.close()
        }
    }

    @Test(
        "a login that is refused ends a continuous replication",
        arguments: [PeerError.Kind.unauthorized, .untrusted]
    )
    func unauthorized(_ kind: PeerError.Kind) async throws {
        let bed = try ReplicationBed()
        var configuration = bed.configuration(.pushAndPull)
        configuration.isContinuous = true
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, _ in throw PeerError(kind, status: 401, "Log in.") }
        let replicator = bed.replicator(configuration, to: peer)
        await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(replicator.status.activity == .stopped)
        #expect(replicator.status.error?.status == 401)
        try bed.close()
    }

    @Test("sizes shrink where requests are too large, and grow again")
    func sizes() {
        var size = AdaptiveSize(400, slow: .seconds(10))
        size.failed(400, PeerError(.tooLarge, status: 413, ""))
        #expect(size.current == 200)
        size.succeeded(200, in: .seconds(11))
        #expect(size.current == 100)
        size.failed(100, PeerError(.transient, status: 503, ""))
        #expect(size.current == 50)
        for _ in 0..<10 { size.succeeded(size.current, in: .seconds(1)) }
        #expect(size.current == 400)
    }

    @Test("a size may begin below the largest, and never above it")
    func firstSize() {
        var size = AdaptiveSize(400, from: 100, slow: .seconds(10))
        #expect(size.current == 100)
        size.succeeded(100, in: .seconds(1))
        #expect(size.current == 150)
        size.succeeded(20, in: .seconds(1))
        #expect(size.current == 150)
        #expect(AdaptiveSize(7, from: 100, slow: .seconds(10)).current == 7)
    }
}
