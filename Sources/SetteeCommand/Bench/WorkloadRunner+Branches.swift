internal import Settee

/// Workloads on one document with many branches.
extension WorkloadRunner {
    func prepareBranches(_ workload: Workload) throws {
        let root = try RevisionID(generation: 1, digest: (0, 0))
        var digest: (high: UInt64, low: UInt64) = (0x9E37_79B9_7F4A_7C15, 0)
        histories = try lines.map { _ in
            digest = (digest.high &* 0xD134_2543_DE82_EF95 &+ 1, digest.low &+ 1)
            return [try RevisionID(generation: 2, digest: digest), root]
        }
        if workload == .branchesDelete { try database.inTransaction { try insertBranches() } }
    }

    func insertBranches() throws {
        for (line, history) in zip(lines, histories) {
            try database[id(0)].forceInsert(json: line, history: history)
        }
    }

    func deleteBranches() throws {
        try database[id(0)].deleteAllBranches()
    }
}
