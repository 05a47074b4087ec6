internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Folders that other programs remove or replace while they are served.
@Suite(.timeLimit(.minutes(10))) struct LostFolderTests {
    private static let types: [StorageType] = [.sqlite, .lmdb]

    /// Serves a database `served` with a document `before`.
    private func withServed(_ type: StorageType, _ body: (ListenerBed, URL) async throws -> Void) async throws {
        let bed = try ListenerBed(type)
        #expect(try await bed.send(.put, "/served").status == 201)
        #expect(try await bed.send(.put, "/served/before", "{}").status == 201)
        try await body(bed, bed.folder.url.appending(path: "served.settee"))
        await bed.core.stop()
        try bed.close()
    }

    /// Puts a closed database with a document `new` in the folder's place.
    private func replace(_ url: URL, in bed: ListenerBed) async throws {
        #expect(try await bed.send(.put, "/other").status == 201)
        #expect(try await bed.send(.put, "/other/new", "{}").status == 201)
        try bed.core.databases.opened("other")?.database.close()
        try FileManager.default.removeItem(at: url)
        try FileManager.default.moveItem(at: bed.folder.url.appending(path: "other.settee"), to: url)
    }

    private static let writes: [(HTTPRequest.Method, String, String?)] = [
        (.put, "/served/after", "{}"), (.post, "/served", #"{"_id":"after"}"#),
        (.post, "/served/_bulk_docs", #"{"docs":[{"_id":"after"}]}"#), (.put, "/served/_local/after", "{}"),
        (.put, "/served/_security", "{}"), (.put, "/served/after/text", "{}"), (.delete, "/served", nil),
    ]

    @Test("a write to a removed database is 410, and then there is none", arguments: types)
    func removed(_ type: StorageType) async throws {
        for (method, path, body) in Self.writes {
            try await withServed(type) { bed, url in
                try FileManager.default.removeItem(at: url)
                let refused = try await bed.send(method, path, body)
                #expect(refused.status == 410, "\(method) \(path): \(refused.text)")
                #expect(try refused.object()["error"]?.stringValue == "database_removed")
                #expect(!refused.text.contains(url.path))
                #expect(try await bed.send(method, path, body).status == 404, "\(method) \(path)")
                #expect(try await bed.send(.put, "/served").status == 201)
                #expect(try await bed.send(.put, "/served/after", "{}").status == 201)
                #expect(try await bed.send(.get, "/served/before").status == 404)
            }
        }
    }

    @Test("a write to a replaced database is 503, and then the new one is served", arguments: types)
    func replaced(_ type: StorageType) async throws {
        for (method, path, body) in Self.writes {
            try await withServed(type) { bed, url in
                try await replace(url, in: bed)
                let refused = try await bed.send(method, path, body)
                #expect(refused.status == 503, "\(method) \(path): \(refused.text)")
                #expect(try refused.object()["error"]?.stringValue == "database_replaced")
                #expect(refused.headers[.retryAfter] != nil)
                #expect(try await bed.send(.get, "/served/new").status == 200)
                #expect(try await bed.send(.get, "/served/before").status == 404)
                #expect(try await bed.send(method, path, body).status < 300, "\(method) \(path)")
            }
        }
    }

    @Test("a read is answered from what is there now", arguments: types)
    func reading(_ type: StorageType) async throws {
        try await withServed(type) { bed, url in
            try await replace(url, in: bed)
            #expect(try await bed.send(.get, "/served/new").status == 200)
            #expect(try await bed.send(.put, "/served/after", "{}").status == 201)
            try FileManager.default.removeItem(at: url)
            #expect(try await bed.send(.post, "/served/_all_docs", "{}").status == 404)
            #expect(try await bed.send(.put, "/served").status == 201)
        }
        try await withServed(type) { bed, url in
            try FileManager.default.removeItem(at: url)
            #expect(try await bed.send(.put, "/served").status == 201)
            #expect(try await bed.send(.get, "/served/before").status == 404)
        }
    }

    @Test("writes that wait for their commit are refused", arguments: types)
    func waiting(_ type: StorageType) async throws {
        try await withServed(type) { bed, url in
            let database = try #require(bed.core.databases.opened("served")).database
            let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let holder = Thread {
                _ = try? database.inTransaction {
                    entered.signal()
                    leave.wait()
                }
            }
            holder.start()
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    entered.wait()
                    continuation.resume()
                }
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 { group.addTask { try await bed.send(.put, "/served/w\(number)", "{}").status } }
                try await Task.sleep(for: .milliseconds(200))
                try FileManager.default.removeItem(at: url)
                leave.signal()
                for try await status in group { #expect([404, 410, 503].contains(status), "\(status)") }
            }
            #expect(try await bed.send(.get, "/served").status == 404)
        }
    }

    @Test("its feeds end", arguments: types, ["continuous", "continuous&heartbeat=1000", "longpoll"])
    func feeds(_ type: StorageType, _ feed: String) async throws {
        for isReplaced in [false, true] {
            try await withServed(type) { bed, url in
                let answer = await bed.answer(.get, "/served/_changes?since=now&feed=\(feed)")
                guard case .stream(_, let write) = answer.body else {
                    Issue.record("not a stream")
                    return
                }
                let sink = CollectingSink()
                let writing = Task { try? await write(sink) }
                try await eventually { bed.core.feeds.present == 1 }
                try await Task.sleep(for: .milliseconds(200))
                if isReplaced {
                    try await replace(url, in: bed)
                } else {
                    try FileManager.default.removeItem(at: url)
                }
                _ = await writing.value
                #expect(bed.core.feeds.present == 0)
                #expect(sink.text.contains(#""last_seq":1"#), "\(sink.text)")
            }
        }
    }
}
