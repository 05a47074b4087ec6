internal import SetteeDocumentValues
internal import SetteeEngine

/// Reads and writes the checkpoints of one direction on both sides. Used by one task at a time.
actor CheckpointKeeper {
    /// A side, and what is known of its checkpoint.
    private struct Side {
        let peer: any Peer
        var revision: String?
        var log = CheckpointLog()
        /// The newest session that it has been seen with.
        var newest: String?
        /// Whether it takes checkpoints.
        var takes = true

        /// The log of a checkpoint that has come to be there. Others who run the same replication add sessions to it.
        ///
        /// - Throws: `PeerChanged` if the session is gone that the side was seen with last: it was restored to an older
        ///   state, or is another database.
        func log(in there: PeerCheckpoint?) throws(PeerChanged) -> CheckpointLog {
            if there == nil, revision != nil { throw PeerChanged() }
            let log = there.flatMap { CheckpointLog($0.body) } ?? CheckpointLog()
            if let newest, !log.contains(newest) { throw PeerChanged() }
            return log
        }
    }

    private var source: Side
    private var target: Side
    private let names: CheckpointNames
    /// Which other side takes no checkpoints.
    private var oneSided: String?
    private let began = HTTPDate.now
    private(set) var startSequence: JSONValue?
    /// The sequence of the last checkpoint.
    private(set) var saved: JSONValue?

    init(source: any Peer, target: any Peer, names: CheckpointNames) {
        self.source = Side(peer: source)
        self.target = Side(peer: target)
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
        var common: CheckpointLog?
        for id in names.all {
            async let first = source.peer.checkpoint(id)
            async let second = target.peer.checkpoint(id)
            let (ofSource, ofTarget) = (try await first, try await second)
            let sourceLog = ofSource.flatMap { CheckpointLog($0.body) }
            let targetLog = ofTarget.flatMap { CheckpointLog($0.body) }
            let isOwn = id == names.id
            if isOwn {
                source.revision = ofSource?.revision
                target.revision = ofTarget?.revision
                // Sessions that only one side has stay there: it may be the other that is put back once more.
                if !resets {
                    source.log = sourceLog ?? CheckpointLog()
                    target.log = targetLog ?? CheckpointLog()
                }
            }
            if resets { break }
            common = start(sourceLog, targetLog, sourceInformation, targetInformation)
            if let common {
                oneSided = common.oneSided
                if !isOwn { (source.log, target.log) = (common, common) }
                break
            }
        }
        // A source that was restored to a state before it has forgotten what came after.
        if let since = common?.sequence?.intValue, let last = sourceInformation.lastSequence.intValue, since > last {
            common = nil
            (source.log, target.log) = (CheckpointLog(), CheckpointLog())
        }
        if common?.sequence != nil {
            source.newest = source.revision == nil ? nil : source.log.history.first?.id
            target.newest = target.revision == nil ? nil : target.log.history.first?.id
        }
        startSequence = common?.sequence
        saved = common?.sequence
        return common?.sequence
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

    /// Reads the checkpoints again.
    ///
    /// - Returns: Whether there are any that a side that was replaced would not have.
    /// - Throws: `PeerError`; `PeerChanged` if a side has another one than it was given.
    func check() async throws -> Bool {
        for side in [source, target] where side.takes && side.newest != nil {
            _ = try side.log(in: await side.peer.checkpoint(names.id))
        }
        return source.newest != nil && target.newest != nil
    }

    /// Writes a checkpoint. Everything up to its sequence must have been committed. Does nothing if the last checkpoint
    /// has the same sequence.
    ///
    /// - Throws: `PeerError`; `PeerChanged` if a side is another database now, or was put back to an older state.
    func save(_ sequence: JSONValue, _ figures: TransferFigures) async throws {
        guard sequence != saved, saved != nil || sequence != 0 else { return }
        if source.takes, target.takes { oneSided = nil }
        let before = oneSided
        let session = CheckpointKeeper.sessionID()
        let entry = figures.entry(from: startSequence, began: began)
        if target.takes {
            target = try await save(session, sequence, entry, on: target)
            if !target.takes { oneSided = try await target.peer.information().identity }
        }
        if source.takes {
            source = try await save(session, sequence, entry, on: source)
            if !source.takes { oneSided = try await source.peer.information().identity }
        }
        // Which side takes none is known by now.
        if oneSided != before, oneSided != nil, target.takes {
            target = try await save(session, sequence, entry, on: target)
        }
        saved = sequence
    }

    private func save(
        _ session: String,
        _ sequence: JSONValue,
        _ entry: JSONObject,
        on side: Side
    ) async throws -> Side {
        var side = side
        do {
            var log = side.log
            if log.history.first?.id != session { log.add(session, at: sequence, entry) }
            log.oneSided = oneSided
            do {
                side.revision = try await side.peer.save(log.body, as: names.id, replacing: side.revision)
            } catch let error as PeerError where error.kind == .conflict {
                // Somebody runs the same replication, the answer to an earlier write was lost, or the side is not what
                // it was.
                let there = try await side.peer.checkpoint(names.id)
                log = try side.log(in: there)
                side.revision = there?.revision
                if !log.contains(session) {
                    log.add(session, at: sequence, entry)
                    log.oneSided = oneSided
                    side.revision = try await side.peer.save(log.body, as: names.id, replacing: there?.revision)
                }
            }
            side.log = log
            side.newest = session
        } catch let error as PeerError where error.meansNoCheckpoints {
            side.takes = false
        }
        return side
    }

    private static func sessionID() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return [high, low].map { part in
            let digits = String(part, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// A side of a run is another database than at its beginning, or the same one in an older state.
struct PeerChanged: Error {}

extension PeerInformation {
    /// What stays the same as long as the database does.
    var identity: String { (uuid ?? "") + " " + startTime }
}

extension PeerError {
    /// Whether it says that the peer takes no checkpoints.
    fileprivate var meansNoCheckpoints: Bool { [.readOnly, .forbidden, .notFound].contains(kind) && status != 503 }
}
