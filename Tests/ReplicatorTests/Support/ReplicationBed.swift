internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Two databases that are to become equal.
final class ReplicationBed {
    let first: TestDatabase
    let second: TestDatabase
    /// Short times, so that tests of failures take no longer than others.
    var limits = ReplicationBed.limits

    static let limits: ReplicationLimits = {
        var limits = ReplicationLimits()
        limits.retryDelay = .milliseconds(1)
        limits.restartDelay = .milliseconds(1)
        return limits
    }()

    static let types: [StorageType] = [.memory, .sqlite, .lmdb]
    static let pairs: [(StorageType, StorageType)] = types.flatMap { a in types.map { b in (a, b) } }

    init(_ a: StorageType = .memory, _ b: StorageType = .memory) throws {
        first = try TestDatabase(a)
        second = try TestDatabase(b)
    }

    var a: Database { first.database }
    var b: Database { second.database }

    func configuration(_ direction: ReplicationDirection) -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(database: a, target: .database(b))
        configuration.direction = direction
        return configuration
    }

    /// A replicator whose other side is this peer; nil: the second database itself.
    func replicator(_ configuration: ReplicatorConfiguration, to peer: (any Peer)? = nil) -> Replicator {
        let b = self.b
        return Replicator(configuration, limits: limits) { peer ?? LocalPeer(b) }
    }

    func run(_ direction: ReplicationDirection) async throws { try await replicator(configuration(direction)).run() }

    func close() throws {
        for bed in [first, second] where bed.database.isOpen {
            #expect(try bed.database.check().map(\.description) == [])
        }
        try first.manager.close()
        try second.manager.close()
    }
}

/// Everything that is replicated: trees, bodies and attachments, as text for each document.
func contents(of database: Database) throws -> [String: [String]] {
    var contents: [String: [String]] = [:]
    for row in try database.changePage(since: 0, limit: .max, bytes: .max).rows {
        let document = database[row.documentID]
        contents[row.documentID.string] = try document.leafRevisions().map { leaf in
            var text = "\(leaf.isDeleted) \(String(decoding: leaf.json, as: UTF8.self)) "
            text += try database.lineage(row.documentID, leaf.id).joined(separator: ",")
            for attachment in try leaf.attachments {
                let content = try attachment.content()
                #expect(UInt64(content.count) == attachment.length)
                text += " \(attachment.name) \(content.hashValue)"
            }
            return text
        }
    }
    return contents
}

extension Database {
    fileprivate func lineage(_ id: DocumentID, _ leaf: RevisionID) throws -> [String] {
        var history: [String] = []
        try revisions([RevisionRequest(documentID: id, selection: .revisions([leaf]))]) { _, answer, _ in
            if case .found(let found) = answer { history = found.history.map(\.string) }
        }
        return history
    }
}

func expectEqual(
    _ a: Database,
    _ b: Database,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let (left, right) = (try contents(of: a), try contents(of: b))
    let different = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
    #expect(different == [], comment(), sourceLocation: sourceLocation)
    if let id = different.first {
        Issue.record("\(left[id] ?? []) and \(right[id] ?? [])", sourceLocation: sourceLocation)
    }
}
