internal import SetteeDocumentValues
internal import SetteeEngine

/// Reads and writes the checkpoints of one direction on both sides. Used by one task at a time.
actor CheckpointKeeper {
    private let source: any Peer
    private let target: any Peer
    private let names: CheckpointNames
    private var log = CheckpointLog()
    private var sourceRevision: String?
    private var targetRevision: String?
    /// Whether the source, and the target, takes checkpoints.
    private var takes = (source: true, target: true)
    private let began = HTTPDate.now
    private(set) var startSequence: JSONValue?
    /// The sequence of the last checkpoint.
    private(set) var saved: JSONValue?

    init(source: any Peer, target: any Peer, names: CheckpointNames) {
        self.source = source
        self.target = target
        self.names = names
    }

    /// Finds where the run begins; nil: at the first change.
    ///
    /// - Parameter resets: whether it begins there whatever the checkpoints say.
    func load(
        _ sourceInformation: PeerInformation,
        _ targetInformation: PeerInformation,
        resets: Bool
    ) async throws
        -> JSONValue?
    {
        for id in names.all {
            async let first = source.checkpoint(id)
            async let second = target.checkpoint(id)
            let (ofSource, ofTarget) = (try await first, try await second)
            if id == names.id {
                sourceRevision = ofSource?.revision
                targetRevision = ofTarget?.revision
            }
            if resets { break }
            let sourceLog = ofSource.flatMap { CheckpointLog($0.body) }
            let targetLog = ofTarget.flatMap { CheckpointLog($0.body) }
            if let found = start(sourceLog, targetLog, sourceInformation, targetInformation) {
                log = found
                break
            }
        }
        // A source that was restored to a state before it has forgotten what came after.
        if let since = log.sequence?.intValue, let last = sourceInformation.lastSequence.intValue, since > last {
            log = CheckpointLog()
        }
        startSequence = log.sequence
        saved = log.sequence
        return log.sequence
    }

    private func start(
        _ source: CheckpointLog?,
        _ target: CheckpointLog?,
        _ sourceInformation: PeerInformation,
        _ targetInformation: PeerInformation
    ) -> CheckpointLog? {
        switch (source, target) {
        case (let source?, let target?): return source.common(with: target)
        case (let log?, nil) where log.oneSided == targetInformation.identity: return log
        case (nil, let log?) where log.oneSided == sourceInformation.identity: return log
        default: return nil
        }
    }

    /// Writes a checkpoint. Everything up to its sequence must have been committed. Does nothing if the last checkpoint
    /// has the same sequence.
    ///
    /// - Throws: `PeerError`; `PeerChanged` if a side is another database now.
    func save(_ sequence: JSONValue, _ figures: TransferFigures) async throws {
        guard sequence != saved, saved != nil || sequence != 0 else { return }
        var next = log
        if takes.source, takes.target { next.oneSided = nil }
        let id = CheckpointKeeper.sessionID()
        next.add(id, at: sequence, figures.entry(from: startSequence, began: began))
        if takes.target { try await saveTarget(&next) }
        if takes.source { try await saveSource(&next) }
        // Which side takes none is known by now.
        if next.oneSided != log.oneSided, next.oneSided != nil, takes.target { try await saveTarget(&next) }
        log = next
        saved = sequence
    }

    private func saveTarget(_ next: inout CheckpointLog) async throws {
        do {
            targetRevision = try await save(next.body, on: target, replacing: targetRevision)
        } catch let error as PeerError where error.meansNoCheckpoints {
            takes.target = false
            next.oneSided = try await target.information().identity
        }
    }

    private func saveSource(_ next: inout CheckpointLog) async throws {
        do {
            sourceRevision = try await save(next.body, on: source, replacing: sourceRevision)
        } catch let error as PeerError where error.meansNoCheckpoints {
            takes.source = false
            next.oneSided = try await source.information().identity
        }
    }

    private func save(_ body: JSONObject, on peer: any Peer, replacing revision: String?) async throws -> String {
        do {
            return try await peer.save(body, as: names.id, replacing: revision)
        } catch let error as PeerError where error.kind == .conflict {
            // Somebody runs the same replication, the answer to an earlier write was lost, or the database is another.
            let there = try await peer.checkpoint(names.id)
            if there == nil, revision != nil { throw PeerChanged() }
            return try await peer.save(body, as: names.id, replacing: there?.revision)
        }
    }

    private static func sessionID() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return [high, low].map { part in
            let digits = String(part, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// A side of a run is another database than at its beginning.
struct PeerChanged: Error {}

extension PeerInformation {
    /// What stays the same as long as the database does.
    var identity: String { (uuid ?? "") + " " + startTime }
}

extension PeerError {
    /// Whether it says that the peer takes no checkpoints.
    fileprivate var meansNoCheckpoints: Bool { [.readOnly, .forbidden, .notFound].contains(kind) && status != 503 }
}
