/// The acceptance test of the storage contract: an engine that does not pass is not an engine.
public enum Conformance {
    /// All tests, area by area.
    public static let tests: [ConformanceTest] =
        opening + keys + counters + records + batches + restoring + limits + ranges + passingRecords
        + sequences + bodies + hiddenEntries
        + localDocuments
        + expirations + info + indexes + indexBatches + indexFilling + indexRanges + droppedIndexes + removedEntries
        + indexCopies
        + indexEntries
        + blobReferences
        + transactions
        + nesting + threads + durability + copying + rewriting + sharing + faults

    /// The areas in the order of `tests`.
    public static var areas: [String] {
        tests.reduce(into: []) { areas, test in
            if areas.last != test.area { areas.append(test.area) }
        }
    }
}
