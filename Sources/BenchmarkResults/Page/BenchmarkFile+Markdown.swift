extension BenchmarkFile {
    /// The rates as tables in Markdown, one for each group with a column for each engine, and where and how they were
    /// measured. In brackets is the ratio to the counterpart.
    public func markdown() -> String {
        let libraries = environment.libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        var text = "\(environment.processor), \(Figures.exact(environment.cores)) cores, \(environment.system); "
        text += "\(libraries.joined(separator: ", ")); durability \(environment.durability), "
        text += "\(environment.documentIDs) IDs, documents: \(environment.data); "
        text += "medians of \(Figures.exact(environment.rounds)) rounds, \(environment.date).\n"
        text += "\n`settee \(environment.commandLine.joined(separator: " ").replacing("`", with: "'"))`\n"
        for (group, entries) in groups {
            text += "\n**\(BenchmarkFile.heading(of: group))**\n\n"
            text += row([["workload", "documents"], engines].flatMap { $0 })
            text += row(["---", "---:"] + engines.map { _ in "---:" })
            for (workload, entries) in BenchmarkFile.byWorkload(entries) {
                let cells = engines.map { engine in entries.first { $0.engine == engine }.map(cell) ?? Column.none }
                text += row([workload.name, Figures.exact(workload.documents)] + cells)
            }
        }
        return text
    }

    private func cell(_ entry: BenchmarkEntry) -> String {
        let unit = entry.unit == "documents" ? "" : " \(entry.unit)"
        return Figures.compact(entry.opsPerSecond) + unit + (entry.ratio.map { " (\(Figures.factor($0)))" } ?? "")
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.printable.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
}
