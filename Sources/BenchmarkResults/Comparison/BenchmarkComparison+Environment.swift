extension BenchmarkComparison {
    /// Everything that is not the same but the date, in the order of the file's page.
    static func differences(_ old: BenchmarkEnvironment, _ new: BenchmarkEnvironment) -> [Difference] {
        let (olds, news) = (old.items, new.items)
        let values = Dictionary(news.map { ($0.name, $0.value) }) { first, _ in first }
        let known = Set(olds.map(\.name))
        let all =
            olds.map { Difference(name: $0.name, old: $0.value, new: values[$0.name] ?? nil) }
            + news.filter { !known.contains($0.name) }.map { Difference(name: $0.name, old: nil, new: $0.value) }
        return all.filter { $0.old != $0.new && $0.name != "date" }
    }
}
