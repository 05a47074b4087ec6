internal import Foundation
internal import Settee

/// Workloads on views.
extension WorkloadRunner {
    private static let ranges = 100
    private static let openings = 200
    private static let viewName = "bench"

    private var view: DatabaseView { database.view(WorkloadRunner.viewName) }

    func prepareView(_ workload: Workload) throws {
        let place = try JSONPointer(workload == .viewBuildString ? "/name/last" : "/score")
        try view.define(ViewDefinition(keys: [place]))
        if [.viewBuild, .viewBuildOne, .viewBuildString].contains(workload) { return }
        try view.updateIndex()
        if workload == .viewUpdate { try changeSome() }
        if workload == .viewRange { try findBounds() }
    }

    func runView(_ workload: Workload) throws -> Measurement {
        let start = Stopwatch()
        switch workload {
        case .viewRange: try readRanges()
        case .viewOpen: return try openOften()
        case .viewPut: return try PutsBesideBuild(database, view, lines: lines).run()
        case .viewLive: return try InsertsToResults(database, view).live()
        case .viewByHand: return try InsertsToResults(database, view).byHand()
        default: try view.updateIndex()
        }
        return start.measurement(of: workload == .viewUpdate ? changedCount : lines.count)
    }

    private var changedCount: Int { max(1, lines.count / 100) }

    /// Gives every hundredth document the content of another one.
    private func changeSome() throws {
        try database.inTransaction {
            for number in 0..<changedCount {
                let index = number * 100 % lines.count
                let parent = try database[id(index)].currentRevision?.id
                try database[id(index)].put(json: lines[(index + 7) % lines.count], parent: parent)
            }
        }
    }

    private func findBounds() throws {
        for number in 0..<WorkloadRunner.ranges {
            guard let row = try view.query(limit: 1, skip: lines.count * number / WorkloadRunner.ranges).first() else {
                throw WorkloadRunner.missing
            }
            bounds.append(row.key)
        }
    }

    private func readRanges() throws {
        var rows = 0
        for number in 0..<WorkloadRunner.ranges {
            var query = view.query(startKey: bounds[number])
            if number + 1 < bounds.count {
                query.endKey = bounds[number + 1]
                query.inclusiveEnd = false
            }
            try query.forEach { row in
                rows += 1
                checksum &+= UInt64(row.keyJSON?.count ?? 0) &+ UInt64(row.sourceDocumentID?.string.utf8.count ?? 0)
            }
        }
        try WorkloadRunner.expect(rows, lines.count)
    }

    private func openOften() throws -> Measurement {
        let start = Stopwatch()
        for _ in 0..<WorkloadRunner.openings {
            try reopen()
            guard try view.query().first() != nil else { throw WorkloadRunner.missing }
        }
        return start.measurement(of: WorkloadRunner.openings)
    }
}
