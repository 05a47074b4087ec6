import Benchmark
import SetteeMemory
import SetteeSQLite
import StorageProtocol

/// Benchmarks of the engines alone, through the storage contract: no JSON, no digests, no revision trees. Each
/// iteration works on 1,000 documents and is scaled to one.
let benchmarks: @Sendable () -> Void = {
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .cpuTotal, .mallocCountTotal],
        timeUnits: .nanoseconds,
        warmupIterations: 1,
        scalingFactor: .kilo,
        maxDuration: .seconds(3)
    )
    let factories: [any StorageEngineFactory] = [MemoryEngineFactory(), SQLiteEngineFactory()]
    for factory in factories { addEngineBenchmarks(factory) }
}
