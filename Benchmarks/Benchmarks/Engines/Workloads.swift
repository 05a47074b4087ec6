import Benchmark
import StorageProtocol

/// Writes at durability `normal`; reads from a store of 20,000 documents.
func addEngineBenchmarks(_ factory: any StorageEngineFactory) {
    let type = factory.storageType
    let stored = 20_000

    func measure(
        _ name: String,
        filledWith count: Int,
        _ body: @escaping @Sendable (Benchmark, BenchmarkStore) throws -> Void
    ) {
        Benchmark("\(type): \(name)") { benchmark in
            let store = try BenchmarkStore(factory)
            defer { store.remove() }
            try store.insert(count)
            benchmark.startMeasurement()
            try body(benchmark, store)
            benchmark.stopMeasurement()
        }
    }

    measure("insert, a transaction of 1,000", filledWith: 0) { benchmark, store in
        try store.insert(benchmark.scaledIterations.count)
    }
    measure("insert one by one", filledWith: 0) { benchmark, store in
        for _ in benchmark.scaledIterations { try store.insert(1) }
    }
    measure("update, a transaction of 1,000", filledWith: 1000) { benchmark, store in
        try store.updateFirst(benchmark.scaledIterations.count)
    }
    measure("random read in one snapshot", filledWith: stored) { benchmark, store in
        try store.engine.read { transaction throws(StorageError) in
            for turn in benchmark.scaledIterations { try store.readBody(turn &* 7919 % stored, transaction) }
        }
    }
    measure("random read, a snapshot each", filledWith: stored) { benchmark, store in
        for turn in benchmark.scaledIterations {
            try store.engine.read { transaction throws(StorageError) in
                try store.readBody(turn &* 7919 % stored, transaction)
            }
        }
    }
    measure("scan by ID with bodies", filledWith: 1000) { _, store in
        try store.engine.read { transaction throws(StorageError) in
            try transaction.records(in: .all, descending: false, fields: .body) { record throws(StorageError) in
                record.withBody { blackHole($0.byteCount) }
                return true
            }
        }
    }
    measure("scan by sequence without bodies", filledWith: 1000) { _, store in
        try store.engine.read { transaction throws(StorageError) in
            try transaction.records(
                sequences: 1...UInt64.max,
                descending: false,
                fields: .winner
            ) { record throws(StorageError) in
                blackHole(record.sequence)
                return true
            }
        }
    }
}
