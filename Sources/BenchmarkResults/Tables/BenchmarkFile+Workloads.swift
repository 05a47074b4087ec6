/// The results in the order of the file, sorted into what is shown together.
extension BenchmarkFile {
    /// One workload with one number of documents.
    struct Workload: Hashable {
        let name: String
        let documents: Int
    }

    /// The engines in the order in which they first appear.
    var engines: [String] {
        var seen: Set<String> = []
        return results.map(\.engine).filter { seen.insert($0).inserted }
    }

    /// Entries of one workload and number of documents, in the order in which those first appear.
    static func byWorkload(_ entries: [BenchmarkEntry]) -> [(workload: Workload, entries: [BenchmarkEntry])] {
        grouped(entries) { Workload(name: $0.workload, documents: $0.documents) }.map { ($0.key, $0.entries) }
    }

    static func grouped<Key: Hashable>(
        _ entries: [BenchmarkEntry],
        by key: (BenchmarkEntry) -> Key
    ) -> [(key: Key, entries: [BenchmarkEntry])] {
        var groups: [(key: Key, entries: [BenchmarkEntry])] = []
        var places: [Key: Int] = [:]
        for entry in entries {
            let key = key(entry)
            if let place = places[key] {
                groups[place].entries.append(entry)
            } else {
                places[key] = groups.count
                groups.append((key, [entry]))
            }
        }
        return groups
    }

    /// A workload's name, with the number of documents if the file has several of it.
    func title(of workload: Workload) -> String {
        let counts = Set(results.lazy.filter { $0.workload == workload.name }.map(\.documents))
        return counts.count < 2 ? workload.name : "\(workload.name), \(Figures.exact(workload.documents)) documents"
    }

    /// `a, b and c`.
    static func list(_ names: [String]) -> String {
        guard names.count > 1, let last = names.last else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension BenchmarkEntry {
    /// The rates of the rounds.
    var rates: [Double] { rounds.map(\.opsPerSecond) }

    /// How far the rounds lie from the median, as a part of it; nil with one round.
    var spread: Double? {
        guard rounds.count > 1, opsPerSecond > 0, let low = opsPerSecondMinimum, let high = opsPerSecondMaximum else {
            return nil
        }
        return max(opsPerSecond - low, high - opsPerSecond, 0) / opsPerSecond
    }
}
