internal import Foundation
internal import Settee
internal import SetteeListener
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Documents whose URL is longer than a server takes: IDs have up to 64 KiB, names of attachments up to 32 MiB.
@Suite("Long IDs and long names of attachments")
struct LongIDTests {
    /// Of 16 KiB, 60 KiB and the most; and such as grow to three times as much where they are escaped.
    private static let ids = [
        String(repeating: "i", count: 16 << 10), String(repeating: "j", count: 60 << 10),
        String(repeating: "k", count: 65_536), String(repeating: "/", count: 20_000),
        String(repeating: "\u{E9}", count: 32_768), "short",
    ]
    private static let names = ["x", String(repeating: "n", count: 20_000), String(repeating: "\"", count: 70_000)]
    private static let large: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private func fill(_ database: Database) throws {
        for id in Self.ids {
            for (place, content) in [Array("small".utf8), Self.large].enumerated() {
                let id = String(id.dropFirst(id.count > 10 ? 1 : 0)) + "\(place)"
                try database[id].setAttachment(named: "x", contentType: "text/plain", content: content + [1])
            }
        }
        for (place, name) in Self.names.enumerated() {
            try database["names\(place)"].setAttachment(named: name, contentType: "text/plain", content: Self.large)
            try database["small names\(place)"].setAttachment(named: name, content: Array("small".utf8))
        }
    }

    private func run(
        _ direction: ReplicationDirection,
        _ prepare: (Database) throws -> Void,
        _ check: (ReplicationBed, Replicator) throws -> Void
    ) async throws {
        let bed = try ReplicationBed(.sqlite, .sqlite)
        try prepare(direction == .push ? bed.a : bed.b)
        let listener = try Listener(manager: bed.second.manager, configuration: ListenerConfiguration(port: 0))
        try await listener.start()
        let url = try #require(listener.url)
        var configuration = ReplicatorConfiguration(database: bed.a, target: .url("\(url)test"))
        configuration.direction = direction
        let replicator = Replicator(configuration)
        do {
            try await replicator.run()
            try check(bed, replicator)
        } catch {
            Issue.record(error)
        }
        await listener.stop()
        try bed.close()
    }

    @Test("replicate with their attachments", arguments: [ReplicationDirection.push, .pull])
    func everything(_ direction: ReplicationDirection) async throws {
        try await run(direction, fill) { bed, replicator in
            #expect(replicator.failedDocuments.map { "\($0.documentID.count) \(String(describing: $0.error))" } == [])
            try expectEqual(bed.a, bed.b)
            #expect(try bed.a.documentCount == 2 * UInt64(Self.ids.count) + 2 * UInt64(Self.names.count))
        }
    }

    @Test(
        "with too large a content are refused by name, and the others pass",
        arguments: [ReplicationDirection.push, .pull]
    )
    func refused(_ direction: ReplicationDirection) async throws {
        try await run(direction) { database in
            let content = [UInt8](repeating: 7, count: 26 << 20)
            try database[Self.ids[1]].setAttachment(named: "x", contentType: nil, content: content)
            try database["short"].setAttachment(named: "x", contentType: nil, content: content)
        } _: { bed, replicator in
            let failed = replicator.failedDocuments
            #expect(failed.map(\.documentID) == [Self.ids[1]])
            let reason = String(describing: failed.first?.error)
            #expect(reason.contains("32 MiB"))
            let arrived = try (bed.a["short"].exists, bed.b["short"].exists)
            #expect(arrived == (true, true))
        }
    }
}
