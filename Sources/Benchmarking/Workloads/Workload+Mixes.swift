/// The mixes A, B, C, E and F of the Yahoo! Cloud Serving Benchmark (B. F. Cooper and others, "Benchmarking cloud
/// serving systems with YCSB", SoCC 2010). Documents are chosen by its scrambled Zipfian distribution, every operation
/// has a transaction of its own.
extension Workload {
    static let mixes: [Workload] =
        mix("ycsb-a", "50 % reads, 50 % updates", divisor: 10)
        + mix("ycsb-b", "95 % reads, 5 % updates", divisor: 2)
        + mix("ycsb-c", "reads only", divisor: 1)
        + mix("ycsb-e", "95 % scans of up to 100 documents, 5 % inserts", divisor: 10)
        + mix("ycsb-f", "50 % reads, 50 % read, change and write", divisor: 10)

    /// How many threads there are.
    private static let threads = [1, 2, 4, 8]

    private static func mix(_ name: String, _ summary: String, divisor: Int) -> [Workload] {
        threads.map { threads in
            Workload(
                name: threads == 1 ? name : "\(name)-x\(threads)",
                group: .mix,
                summary: threads == 1 ? summary : "the same from \(threads) threads",
                unit: "operations",
                threads: threads,
                operationsDivisor: divisor,
                baseline: threads == 1 ? .library(name, leavesOut: jsonAndRevisions) : nil,
                onlyReads: name == "ycsb-c",
                run: { run in try MixedOperations(run, name).work(into: run) }
            )
        }
    }
}
