internal import Foundation
internal import Settee
internal import StorageProtocol
internal import Synchronization

/// The operations of a mix, from one or several threads.
final class MixedOperations: Sendable {
    private let database: Database
    private let documents: DocumentSet
    private let threads: Int
    private let operations: Int
    private let writes: Double
    private let kind: Kind
    private let choice: ZipfianChoice
    /// How many documents were inserted.
    private let inserted = Atomic<Int>(0)
    private let outcome = Locked(Outcome())

    private struct Outcome {
        var latencies = Latencies()
        var bytes = 0
        var checksum: UInt64 = 0
        var failure: (any Error)?
    }

    private enum Kind {
        case update, insertAndScan, change
    }

    /// - Parameter name: of the workload.
    init(_ run: WorkloadRun, _ name: String) {
        database = run.database
        documents = run.documents
        threads = run.threads
        operations = run.operations
        choice = ZipfianChoice(documents: run.count)
        (writes, kind) =
            switch name {
            case "ycsb-a": (0.5, .update)
            case "ycsb-b": (0.05, .update)
            case "ycsb-e": (0.05, .insertAndScan)
            case "ycsb-f": (0.5, .change)
            default: (0, .update)
            }
    }

    func work(into run: WorkloadRun) throws -> Workload.Work {
        let ended = DispatchSemaphore(value: 0)
        let start = Stopwatch()
        for first in 0..<threads {
            Thread.detachNewThread { [self] in
                doTurns(from: first)
                ended.signal()
            }
        }
        for _ in 0..<threads { ended.wait() }
        let seconds = start.seconds
        let outcome = outcome.withLock { $0 }
        if let failure = outcome.failure { throw failure }
        run.latencies = outcome.latencies
        run.checksum &+= outcome.checksum
        return Workload.Work(
            operations: operations,
            bytes: writes > 0 ? outcome.bytes : nil,
            opsPerSecond: Double(operations) / max(seconds, 1e-9)
        )
    }

    private func doTurns(from first: Int) {
        var latencies = Latencies()
        var (bytes, checksum) = (0, UInt64(0))
        do {
            for turn in stride(from: first, to: operations, by: threads) {
                let index = choice.document(turn)
                let isWrite = unitInterval(People.mix(UInt64(turn) ^ 0x5943_5342_0000_0000)) < writes
                let start = Stopwatch.nanoseconds()
                if isWrite {
                    bytes += try write(index, turn)
                } else {
                    checksum &+= try read(index, turn)
                }
                latencies.record(Stopwatch.nanoseconds() - start)
            }
            outcome.withLock {
                $0.latencies.add(latencies)
                $0.bytes += bytes
            }
        } catch {
            outcome.withLock { $0.failure = $0.failure ?? error }
        }
        outcome.withLock { $0.checksum &+= checksum }
    }

    private func read(_ index: Int, _ turn: Int) throws -> UInt64 {
        guard case .insertAndScan = kind else {
            return touch(try WorkloadRun.found(try database[documents.id(index)].json()))
        }
        let length = 1 + Int(People.mix(UInt64(turn) ^ 0x5343_414E_0000_0000) % 100)
        var (rows, sum) = (0, UInt64(0))
        let query = DocumentQuery(startKey: documents.id(index), limit: length, includeBodies: true)
        try database.read { snapshot in
            try snapshot.forEachDocument(query) { (row) throws(StorageError) in
                rows += 1
                sum &+= row.withBody { touch($0) }
                return true
            }
        }
        guard rows > 0 else { throw WorkloadRun.missing }
        return sum
    }

    /// Returns the bytes of the document that was written.
    private func write(_ index: Int, _ turn: Int) throws -> Int {
        let body = documents.body(turn + 3)
        switch kind {
        case .insertAndScan:
            let number = inserted.add(1, ordering: .relaxed).newValue
            try database[documents.id(documents.count + number - 1)].put(json: body)
        case .update:
            // Another thread may change the document between the look at its revision and the put.
            while true {
                let document = database[documents.id(index)]
                guard let parent = try document.currentRevision?.id else { throw WorkloadRun.missing }
                do throws(StorageError) {
                    try document.put(json: body, parent: parent)
                    break
                } catch {
                    guard error.code == .conflict else { throw error }
                }
            }
        case .change:
            try database[documents.id(index)].update { $0["turn"] = JSONValue(turn) }
        }
        return body.count
    }
}
