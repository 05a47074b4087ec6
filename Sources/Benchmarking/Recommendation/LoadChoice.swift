internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// Chooses among candidates that were measured.
struct LoadChoice {
    private let load: LoadDescription
    private let parts: [String: Double]
    private let all: [MeasuredCandidate]
    private let disk: Double?

    /// - Parameters:
    ///   - all: in the order in which they are preferred.
    ///   - disk: microseconds of a page that is not in memory; nil if that does not matter.
    init(_ load: LoadDescription, _ all: [MeasuredCandidate], disk: Double?, parts: [String: Double]? = nil) {
        self.load = load
        self.all = all
        self.disk = disk
        self.parts = parts ?? load.parts
    }

    func recommendation() -> Recommendation {
        let able = all.filter { $0.refused == nil && !$0.samples.isEmpty }
        var result = Recommendation(
            durability: load.durability.rawValue,
            reasons: [],
            wouldChange: [],
            parts: parts,
            candidates: all.map(figures),
            diskMicroseconds: disk
        )
        guard let cheapest = able.min(by: { cost($0) < cost($1) }) else {
            result.reasons = ["No storage type can serve this load: see why each was left out."]
            return result
        }
        let chosen = able.first { one in !able.contains { isShownCheaper($0, than: one) } } ?? cheapest
        result.storageType = chosen.candidate.storageType.name
        result.compression = chosen.candidate.compression?.rawValue
        let others = able.filter { $0.candidate != chosen.candidate }
        result.reasons = reasons(chosen, others, able)
        result.wouldChange = changes(chosen, others)
        return result
    }

    /// Whether the rounds show that `first` costs less, by enough to be worth it.
    private func isShownCheaper(_ first: MeasuredCandidate, than second: MeasuredCandidate) -> Bool {
        guard first.candidate != second.candidate, cost(first) < (1 - Recommender.advantage) * cost(second) else {
            return false
        }
        if case .lower = Verdict(rounds(first), rounds(second), smallest: Verdict.withinRun) { return true }
        return false
    }

    private func figures(_ one: MeasuredCandidate) -> Recommendation.Candidate {
        var figures = Recommendation.Candidate(
            name: one.candidate.name,
            storageType: one.candidate.storageType.name,
            compression: one.candidate.compression?.rawValue,
            refused: one.refused
        )
        guard one.refused == nil, !one.samples.isEmpty else { return figures }
        figures.microseconds = cost(one)
        figures.rounds = rounds(one)
        figures.costs = costs(one.costs, one)
        figures.bytesOnDisk = bytes(one)
        figures.uncachedPart = load.memoryBytes == nil ? nil : uncached(one)
        figures.peakMemory = one.peakMemory
        figures.digest = one.samples.last?.digest
        return figures
    }

    private func bytes(_ one: MeasuredCandidate) -> Double { one.bytesPerDocument * Double(load.documents) }

    /// The part of the files that memory has no room for.
    private func uncached(_ one: MeasuredCandidate) -> Double {
        guard let memory = load.memoryBytes, bytes(one) > 0 else { return 0 }
        return max(0, 1 - Double(memory) / bytes(one))
    }

    /// Adds to the costs the pages that must be read from the disk: one for a document, as many as a hundred documents
    /// fill for a listing.
    private func costs(_ costs: [String: Double], _ one: MeasuredCandidate) -> [String: Double] {
        guard let disk else { return costs }
        let miss = uncached(one) * disk
        let pages = max(1, one.bytesPerDocument * 100 / 4096)
        return Dictionary(
            uniqueKeysWithValues: costs.map { (name, cost) in
                (name, cost + miss * LoadChoice.reads(of: name, aHundred: pages))
            }
        )
    }

    /// How many pages an operation of a load or a trace reads from the disk.
    private static func reads(of name: String, aHundred pages: Double) -> Double {
        switch name {
        case "scan", "list", "changes", "query": pages
        case "read", "get", "leaves", "update", "put", "purge", "prune", "expire": 1
        default: 0
        }
    }

    private func rounds(_ one: MeasuredCandidate) -> [Double] { one.samples.map { total(costs($0.costs, one)) } }

    private func cost(_ one: MeasuredCandidate) -> Double { median(rounds(one)) ?? .infinity }

    private func total(_ costs: [String: Double]) -> Double {
        costs.reduce(0) { $0 + $1.value * (parts[$1.key] ?? 0) }
    }
}

/// What is said of the choice.
extension LoadChoice {
    private func reasons(
        _ chosen: MeasuredCandidate,
        _ others: [MeasuredCandidate],
        _ able: [MeasuredCandidate]
    ) -> [String] {
        var lines = all.compactMap { one in one.refused.map { "\(one.candidate.name) is out: \($0)." } }
        lines.append("\(chosen.candidate.name) takes \(micro(cost(chosen))) for an operation of this load.")
        for other in others.sorted(by: { cost($0) < cost($1) }) {
            let factor = String(format: "%.1f", max(cost(other), cost(chosen)) / min(cost(other), cost(chosen)))
            let figure = "\(other.candidate.name) takes \(micro(cost(other)))"
            if isShownCheaper(chosen, than: other) {
                lines.append("\(figure), \(factor) times as long\(main(chosen, other)).")
            } else if let better = able.first(where: { isShownCheaper($0, than: other) }) {
                lines.append("\(figure): \(better.candidate.name) is shown to take less.")
            } else {
                lines.append(
                    "\(figure): no difference worth another format was shown, so the one that comes first is kept."
                )
            }
        }
        if load.memoryBytes != nil, disk == nil {
            lines.append(
                "How long the disk takes is not known: the temporary folder is in memory, or its pages cannot be "
                    + "dropped. Set TMPDIR to a folder on the disk."
            )
        }
        if let memory = load.memoryBytes, let disk, uncached(chosen) > 0 {
            let part = Int(uncached(chosen) * 100)
            lines.append(
                "Its files need \(mega(bytes(chosen))) for \(load.documents) documents and memory has \(mega(Double(memory))): "
                    + "\(part) % of the reads go to the disk, at \(micro(disk)) each."
            )
        }
        if let batched = chosen.batchedInsert, let single = chosen.costs["insert"], load.batch < 100,
            parts["query"] == nil, single > 2 * batched
        {
            let factor = String(format: "%.0f", single / batched)
            lines.append(
                "Setting: write many documents in one transaction where you can: in thousands an insert costs "
                    + "\(micro(batched)) in the place of \(micro(single)) (\(factor) times less)."
            )
        }
        return lines
    }

    /// Of a trace: what belongs to other operations, and has no share of its own to change.
    private static let frames: Set = ["begin", "commit", "rollback", "snapshot", "open", "close"]
    private static let writes: Set = ["insert", "update", "attach", "put", "purge", "prune", "putLocal", "commit"]

    /// Names the operation that makes most of a difference.
    private func main(_ chosen: MeasuredCandidate, _ other: MeasuredCandidate) -> String {
        let (mine, theirs) = (costs(chosen.costs, chosen), costs(other.costs, other))
        let gains = parts.map { (name: $0.key, gain: ((theirs[$0.key] ?? 0) - (mine[$0.key] ?? 0)) * $0.value) }
        guard let most = gains.max(by: { ($0.gain, $0.name) < ($1.gain, $1.name) }), most.gain > 0 else { return "" }
        return ", mostly by \(most.name) (\(micro(theirs[most.name] ?? 0)) to \(micro(mine[most.name] ?? 0)))"
    }

    private func changes(_ chosen: MeasuredCandidate, _ others: [MeasuredCandidate]) -> [String] {
        var lines: [String] = []
        for other in others {
            for name in parts.keys.sorted() where !LoadChoice.frames.contains(name) {
                guard let part = share(of: name, until: other, beats: chosen) else { continue }
                lines.append("From \(Int((part * 100).rounded(.up))) % of \(name) on, \(other.candidate.name).")
            }
        }
        if load.isEncrypted { lines.append("Without encryption, sqlite and lmdb could be chosen.") }
        if !load.isEncrypted { lines.append("With encryption, sqlcipher is the only one.") }
        if load.memoryBytes != nil, uncached(chosen) == 0 {
            lines.append("Files larger than memory would weigh sizes more.")
        }
        if load.durability == .full, parts.keys.contains(where: LoadChoice.writes.contains) {
            lines.append("Durability normal makes small commits cheaper, most of all on sqlite.")
        }
        if load.processes == 1, !load.isVolatile {
            lines.append("If the data may disappear with the process, memory is measured too (--volatile).")
        }
        return lines
    }

    /// Returns the part of an operation, the others staying in proportion, from which on `other` is cheaper by enough;
    /// nil if there is none above today's.
    private func share(of name: String, until other: MeasuredCandidate, beats chosen: MeasuredCandidate) -> Double? {
        let (mine, theirs) = (costs(chosen.costs, chosen), costs(other.costs, other))
        guard let now = parts[name], now < 1, let mineOne = mine[name], let theirsOne = theirs[name] else { return nil }
        func rest(_ costs: [String: Double]) -> Double { (total(costs) - (costs[name] ?? 0) * now) / (1 - now) }
        // theirs < (1 - advantage) * mine, both linear in the part.
        let keep = 1 - Recommender.advantage
        let (atNone, atAll) = (rest(theirs) - keep * rest(mine), theirsOne - keep * mineOne)
        guard atNone > 0, atAll < 0 else { return nil }
        let part = atNone / (atNone - atAll)
        return part > now && part < 0.995 ? part : nil
    }

    private func micro(_ figure: Double) -> String {
        figure >= 1000 ? String(format: "%.1f ms", figure / 1000) : String(format: "%.1f µs", figure)
    }

    private func mega(_ bytes: Double) -> String { String(format: "%.0f MB", bytes / 1e6) }
}
