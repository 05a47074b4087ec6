internal import HTTPTypes
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Long answers, and long builds.
@Suite(.timeLimit(.minutes(5))) struct ViewStreamTests {
    private func fill(_ bed: ListenerBed, _ count: Int) async throws {
        // The listener keeps the database open, and what was set for it.
        try await bed.send(.get, "/db")
        let database = try bed.database
        try database.inTransaction {
            for number in 0..<count {
                try database["d\(10_000 + number)"].put(["n": JSONValue(number), "x": "012345678901234567890123456789"])
            }
        }
        try database.view("d/byNumber").setMap(version: "1") { document, emit in
            if let number = document["n"] { emit(number, document["x"]) }
        }
    }

    @Test("long answers come in pieces, each row once", arguments: ListenerBed.types)
    func pieces(type: StorageType) async throws {
        try await withListener(type) { bed in
            try await fill(bed, 5_000)
            let expected = (0..<5_000).map { "d\(10_000 + $0)" }
            for query in ["", "include_docs=true", "attachments=true&include_docs=true&conflicts=true"] {
                #expect(try await bed.ids("byNumber", query) == expected)
                let backwards = try await bed.ids("byNumber", query + "&descending=true&limit=4999&skip=1")
                #expect(backwards == expected.dropLast().reversed())
            }
            let answer = await bed.answer(.get, "/db/_design/d/_view/byNumber")
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            let sink = CollectingSink()
            try await write(sink)
            #expect(sink.collected.1 < 128 << 10)
        }
    }

    @Test("while documents change, rows that stay come once", arguments: ListenerBed.types)
    func changes(type: StorageType) async throws {
        try await withListener(type) { bed in
            try await fill(bed, 3_000)
            let database = try bed.database
            let writer = Task {
                for number in 0..<200 {
                    try await bed.put("new\(number)", #"{"n":\#(number * 15).5}"#)
                    let document = database["d\(10_000 + number * 7)"]
                    if number % 2 == 0 { _ = try document.delete(parent: document.revision()?.id) }
                }
            }
            for _ in 0..<3 {
                let ids = try await bed.ids("byNumber", "include_docs=true")
                #expect(Set(ids).count == ids.count)
                let staying = (0..<3_000).filter { $0 % 14 != 0 }.map { "d\(10_000 + $0)" }
                #expect(Set(staying).subtracting(ids).isEmpty)
            }
            try await writer.value
        }
    }

    @Test("an index that is rebuilt in the middle ends the connection", arguments: ListenerBed.types)
    func rebuilt(type: StorageType) async throws {
        try await withListener(type) { bed in
            try await fill(bed, 5_000)
            let answer = await bed.answer(.get, "/db/_design/d/_view/byNumber")
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            try bed.database.view("d/byNumber").deleteIndex()
            #expect(try await bed.ids("byNumber").count == 5_000)
            let sink = CollectingSink()
            await #expect(throws: StorageError.self) { try await write(sink) }
        }
    }

    @Test("requests for one index share its build, and leave threads for others")
    func builds() async throws {
        var options = ListenerOptions()
        options.threads = 2
        try await withListener(.sqlite, options: options) { bed in
            try await bed.put("a", #"{"n":1}"#)
            let gate = Locked(false)
            let mapped = Locked(0)
            for name in ["d/slow", "d/other"] {
                try bed.database.view(name).setMap(version: "1") { _, emit in
                    mapped.withLock { $0 += 1 }
                    while !gate.withLock({ $0 }) { usleep(1_000) }
                    emit(1)
                }
            }
            let requests = (0..<10).map { number in
                Task { try await bed.ids(number % 2 == 0 ? "slow" : "other") }
            }
            try await eventually { mapped.withLock { $0 } > 0 }
            // One of two threads is in a build; the other one serves.
            #expect(try await bed.send(.get, "/db/a").status == 200)
            #expect(try await bed.send(.get, "/_active_tasks").text.contains(#""type":"indexer""#))
            #expect(mapped.withLock { $0 } == 1)
            gate.withLock { $0 = true }
            for request in requests { #expect(try await request.value == ["a"]) }
            #expect(mapped.withLock { $0 } == 2)
        }
    }

    @Test("no call is refused because many wait")
    func manyLongCalls() async throws {
        let threads = BlockingThreads(threads: 2, waiting: 1, metrics: ListenerMetrics())
        let calls = LongCalls(threads, most: 1)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<3_000 { group.addTask { try await calls.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 3_000 * 2_999 / 2)
        await threads.stop()
    }

    @Test("calls beyond the number for them wait, and end with the listener")
    func longCalls() async throws {
        let threads = BlockingThreads(threads: 4, waiting: 100, metrics: ListenerMetrics())
        let calls = LongCalls(threads, most: 1)
        let gate = Locked(false)
        let order = Locked<[Int]>([])
        let first = Task { @Sendable in
            try await calls.run {
                order.withLock { $0.append(1) }
                while !gate.withLock({ $0 }) { usleep(1_000) }
            }
        }
        try await eventually { order.withLock { $0 } == [1] }
        let second = Task { @Sendable in try await calls.run { order.withLock { $0.append(2) } } }
        #expect(try await threads.run { 7 } == 7)
        #expect(order.withLock { $0 } == [1])
        gate.withLock { $0 = true }
        try await first.value
        try await second.value
        #expect(order.withLock { $0 } == [1, 2])
        calls.stop()
        await #expect(throws: CouchError.self) { try await calls.run { 1 } }
        await threads.stop()
    }
}
