extension Workload {
    /// All workloads, in the order in which they are measured.
    public static let all: [Workload] =
        writes + branching + reads + queries + finding + mixes + attachments + space + life

    /// Finds the workload of a name.
    public static func named(_ name: String) -> Workload? { all.first { $0.name == name } }
}
