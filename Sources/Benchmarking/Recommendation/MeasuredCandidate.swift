internal import SetteeBenchmarkResults

/// A candidate with the rounds that were measured of it.
struct MeasuredCandidate {
    let candidate: LoadCandidate
    /// Why it cannot be recommended; nil if it can.
    var refused: String?
    var samples: [LoadSample] = []

    init(_ candidate: LoadCandidate, refused: String?) {
        self.candidate = candidate
        self.refused = refused
    }

    /// Microseconds of each operation: medians.
    var costs: [String: Double] {
        var costs: [String: Double] = [:]
        for name in samples.first?.costs.keys.sorted() ?? [] {
            costs[name] = median(samples.compactMap { $0.costs[name] })
        }
        return costs
    }

    var bytesPerDocument: Double { median(samples.map(\.bytesPerDocument)) ?? 0 }
    var batchedInsert: Double? { median(samples.compactMap(\.batchedInsert)) }
    var peakMemory: Double? { samples.compactMap(\.peakMemory).max().map { Double($0) } }
}
