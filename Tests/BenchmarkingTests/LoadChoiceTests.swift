import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeBenchmarking

/// What is chosen of figures that are given.
@Suite("The choice of a storage type")
struct LoadChoiceTests {
    private func measured(
        _ candidate: LoadCandidate,
        _ costs: [String: Double],
        bytes: Double = 500,
        spread: Double = 0.01,
        refused: String? = nil
    ) -> MeasuredCandidate {
        var one = MeasuredCandidate(candidate, refused: refused)
        for round in 0..<5 {
            let factor = 1 + spread * Double(round - 2)
            one.samples.append(LoadSample(costs: costs.mapValues { $0 * factor }, bytesPerDocument: bytes))
        }
        return one
    }

    private let sqlite = LoadCandidate(storageType: .sqlite)
    private let lmdb = LoadCandidate(storageType: .lmdb)
    private let packed = LoadCandidate(storageType: .lmdb, compression: .lz4)

    private func load(_ change: (inout LoadDescription) -> Void = { _ in }) -> LoadDescription {
        var load = LoadDescription()
        load.shares = [.read: 50, .insert: 50]
        change(&load)
        return load
    }

    @Test("The cheapest is chosen, with the operation that makes the difference")
    func cheapest() {
        let all = [measured(sqlite, ["read": 10, "insert": 20]), measured(lmdb, ["read": 2, "insert": 19])]
        let result = LoadChoice(load(), all, disk: nil).recommendation()
        #expect(result.storageType == "lmdb")
        #expect(result.reasons.contains { $0.contains("mostly by read") })
        #expect(result.candidates.map(\.microseconds) == [15, 10.5])
    }

    @Test("Without a difference that is shown, and worth it, the first is kept")
    func ties() {
        let close = [measured(sqlite, ["read": 10, "insert": 10]), measured(lmdb, ["read": 9.5, "insert": 9.5])]
        #expect(LoadChoice(load(), close, disk: nil).recommendation().storageType == "sqlite")
        let noisy = [
            measured(sqlite, ["read": 10, "insert": 10], spread: 0.3),
            measured(lmdb, ["read": 8, "insert": 8], spread: 0.3),
        ]
        let result = LoadChoice(load(), noisy, disk: nil).recommendation()
        #expect(result.storageType == "sqlite")
        #expect(result.reasons.contains { $0.contains("no difference") })
    }

    @Test("One round proves nothing, so the first is kept")
    func oneRound() {
        var (first, second) = (MeasuredCandidate(sqlite, refused: nil), MeasuredCandidate(lmdb, refused: nil))
        first.samples = [LoadSample(costs: ["read": 10, "insert": 10])]
        second.samples = [LoadSample(costs: ["read": 1, "insert": 1])]
        #expect(LoadChoice(load(), [first, second], disk: nil).recommendation().storageType == "sqlite")
    }

    @Test("Files larger than memory favour the one with smaller files")
    func largerThanMemory() {
        let all = [
            measured(sqlite, ["read": 8], bytes: 1000), measured(lmdb, ["read": 2], bytes: 1000),
            measured(packed, ["read": 3], bytes: 500),
        ]
        let fits = load {
            $0.shares = [.read: 1]
            $0.documents = 1_000_000
            $0.memoryBytes = 2_000_000_000
        }
        #expect(LoadChoice(fits, all, disk: 100).recommendation().compression == nil)
        let large = load {
            $0.shares = [.read: 1]
            $0.documents = 1_000_000
            $0.memoryBytes = 500_000_000
        }
        let result = LoadChoice(large, all, disk: 100).recommendation()
        #expect(result.storageType == "lmdb")
        #expect(result.compression == "lz4")
        #expect(result.candidates.map(\.uncachedPart) == [0.5, 0.5, 0])
        #expect(result.candidates[0].microseconds == 58)
    }

    @Test("It is said from which part of an operation on another would be chosen")
    func breakEven() throws {
        // With the part r of reads sqlite costs 10 r + 10 (1 - r), lmdb 2 r + 40 (1 - r): lmdb is cheaper by a tenth
        // where 40 - 38 r < 9, from 81.6 % on.
        let all = [measured(sqlite, ["read": 10, "insert": 10]), measured(lmdb, ["read": 2, "insert": 40])]
        let result = LoadChoice(load(), all, disk: nil).recommendation()
        #expect(result.storageType == "sqlite")
        #expect(result.wouldChange.contains("From 82 % of read on, lmdb."))
    }

    @Test("What was refused is named and never chosen")
    func refused() {
        let all = [
            measured(sqlite, ["read": 10, "insert": 10]),
            measured(lmdb, ["read": 1, "insert": 1], refused: "it is not for this"),
        ]
        let result = LoadChoice(load(), all, disk: nil).recommendation()
        #expect(result.storageType == "sqlite")
        #expect(result.reasons.contains("lmdb is out: it is not for this."))
        #expect(LoadChoice(load(), [all[1]], disk: nil).recommendation().storageType == nil)
    }

    @Test("Many documents in a transaction are advised where they pay")
    func batches() {
        var one = measured(sqlite, ["read": 10, "insert": 1000])
        for index in one.samples.indices { one.samples[index].batchedInsert = 10 }
        #expect(LoadChoice(load(), [one], disk: nil).recommendation().reasons.contains { $0.hasPrefix("Setting:") })
        let batched = load { $0.batch = 1000 }
        #expect(!LoadChoice(batched, [one], disk: nil).recommendation().reasons.contains { $0.hasPrefix("Setting:") })
    }

    @Test("Encryption, processes and what may disappear leave engines out")
    func requirements() {
        func able(_ change: (inout LoadDescription) -> Void) -> [String] {
            let load = load(change)
            return LoadCandidate.all.filter { $0.refusal(load) == nil }.map(\.name)
        }
        // Where the program has it.
        let rocksDB = Storage.rocksDB.map(\.name)
        #expect(able { _ in } == ["sqlite", "lmdb", "lmdb (lz4)"] + rocksDB)
        #expect(able { $0.isEncrypted = true } == ["sqlcipher"])
        #expect(able { $0.isVolatile = true } == ["sqlite", "lmdb", "lmdb (lz4)"] + rocksDB + ["memory"])
        #expect(
            able {
                $0.isVolatile = true
                $0.processes = 2
            } == ["sqlite", "lmdb", "lmdb (lz4)"]
        )
    }

    @Test("Memory is out if the documents do not fit into it")
    func fitsIntoMemory() {
        let memory = LoadCandidate(storageType: .memory)
        let fits = load {
            $0.isVolatile = true
            $0.documents = 1000
            $0.documentBytes = 1000
            $0.memoryBytes = 10_000_000
        }
        #expect(memory.refusal(fits) == nil)
        let large = load {
            $0.isVolatile = true
            $0.documents = 1_000_000
            $0.documentBytes = 1000
            $0.memoryBytes = 10_000_000
        }
        #expect(memory.refusal(large) != nil)
    }

    @Test("Each line says why another was not chosen")
    func everyLine() throws {
        // The last one is cheaper than the first by enough, and than the second not.
        let all = [measured(sqlite, ["read": 115]), measured(lmdb, ["read": 108]), measured(packed, ["read": 100])]
        let result = LoadChoice(load { $0.shares = [.read: 1] }, all, disk: nil).recommendation()
        #expect(result.storageType == "lmdb" && result.compression == nil)
        #expect(result.reasons.contains { $0.hasPrefix("sqlite takes") && $0.contains("lmdb (lz4) is shown") })
        #expect(result.reasons.contains { $0.hasPrefix("lmdb (lz4) takes") && $0.contains("no difference") })
    }

    @Test("Of a trace only what reads documents is charged with the disk, and bookkeeping is not proposed")
    func tracesAndDisk() {
        let costs = ["get": 5.0, "begin": 1.0, "commit": 50.0]
        let parts = ["get": 0.6, "begin": 0.2, "commit": 0.2]
        let small = load {
            $0.documents = 1_000_000
            $0.memoryBytes = 1_000_000
        }
        let result = LoadChoice(small, [measured(sqlite, costs), measured(lmdb, costs)], disk: 100, parts: parts)
            .recommendation()
        let charged = result.candidates[0].costs
        #expect(charged["get"] ?? 0 > 100 && charged["begin"] ?? 9 < 2 && charged["commit"] ?? 99 < 60)
        #expect(!result.wouldChange.contains { $0.contains("begin") || $0.contains("commit on") })
    }
}
