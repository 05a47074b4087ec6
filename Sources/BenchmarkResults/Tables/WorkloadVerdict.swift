/// Which engine does one workload fastest, if one does.
struct WorkloadVerdict {
    enum Outcome {
        /// The first engine is faster than each of the others, than the next by this factor.
        case fastest(String, over: String, by: Double)
        /// No difference was shown between these. The first has the highest rate.
        case noDifferenceShown([String])
        /// The fastest or another engine has fewer than two rounds.
        case unknown
    }

    let workload: String
    let documents: Int
    let outcome: Outcome

    /// - Parameter entries: of one workload with one number of documents; nil if they are fewer than two.
    init?(_ entries: [BenchmarkEntry]) {
        // By the rounds, which the verdicts are about: a file may state other medians.
        let sorted = entries.map { (entry: $0, rate: median($0.rates) ?? 0) }.sorted { $0.rate > $1.rate }.map(\.entry)
        guard sorted.count > 1, let fastest = sorted.first else { return nil }
        workload = fastest.workload
        documents = fastest.documents
        let verdicts = sorted.dropFirst().map { (other) in
            (other.engine, Verdict(fastest.rates, other.rates, smallest: Verdict.withinRun))
        }
        let similar = verdicts.filter { $0.1 == .noDifferenceShown }.map(\.0)
        if verdicts.contains(where: { $0.1 == .unknown }) {
            outcome = .unknown
        } else if similar.isEmpty, let (next, verdict) = verdicts.first, case .higher(let factor) = verdict {
            outcome = .fastest(fastest.engine, over: next, by: factor)
        } else {
            outcome = .noDifferenceShown([fastest.engine] + similar)
        }
    }

    /// `lmdb 1.3 times sqlite`; nil if it is not known.
    var text: String? {
        switch outcome {
        case .fastest(let engine, let next, let factor): "\(engine) \(Figures.factor(factor)) times \(next)"
        case .noDifferenceShown(let engines): "no difference shown between " + BenchmarkFile.list(engines)
        case .unknown: nil
        }
    }
}
