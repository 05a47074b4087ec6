import Benchmark

/// Benchmarks of the values of StorageProtocol: no I/O. Each iteration works on 1,000 things and is scaled to one.
let benchmarks: @Sendable () -> Void = {
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .instructions, .mallocCountTotal],
        timeUnits: .nanoseconds,
        warmupIterations: 5,
        scalingFactor: .kilo,
        maxDuration: .seconds(2)
    )
    addJSONBenchmarks()
    addRevisionTreeBenchmarks()
    addCollationKeyBenchmarks()
}
