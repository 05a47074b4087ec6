extension BenchmarkEnvironment {
    /// The members by their names in the file and what they are in words, nil if it is not known.
    var items: [(name: String, value: String?)] {
        [
            ("settee", settee), ("commit", commit), ("build", build), ("date", date), ("system", system),
            ("processor", processor), ("cores", Figures.exact(cores)),
            ("memoryBytes", memoryBytes.map { Figures.bytes(Double($0)) }), ("fileSystem", fileSystem),
            ("durability", durability), ("documentIDs", documentIDs), ("data", data), ("seed", "\(seed)"),
            ("rounds", Figures.exact(rounds)),
        ]
            + libraries.sorted { $0.key < $1.key }.map { ("library \($0.key)", $0.value) }
            + [("commandLine", commandLine.joined(separator: " "))]
    }
}
