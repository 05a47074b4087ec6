import Foundation
import Settee
import SetteeDocumentValues
import SetteeQueries
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol

/// Several live queries beside random changes: whenever it is quiet, each shows what a plain evaluation finds.
extension RandomFindRun {
    struct LiveStatistics {
        var runs = 0
        var documentsChecked = 0
        var results = 0
    }

    private struct Live {
        let query: FindQuery
        let listener: LiveFindListener
        let text: String
    }

    mutating func runLive(rounds: Int) throws -> LiveStatistics {
        var statistics = LiveStatistics()
        var all: [Live] = []
        do {
            for _ in 0..<6 { all.append(try makeLive()) }
            for _ in 0..<rounds {
                for _ in 0...maker.generator.below(3) {
                    if maker.generator.chance(1, in: 4) {
                        try database.inTransaction { try changeInside() }
                    } else {
                        try change()
                    }
                }
                if maker.generator.chance(1, in: 10) { try changeIndexes() }
                for live in all { try expectRight(live) }
                statistics.results += all.count
                if maker.generator.chance(1, in: 5) {
                    let ended = all.remove(at: maker.generator.below(all.count))
                    statistics.add(ended.listener.statistics)
                    all.append(try makeLive())
                }
            }
        } catch {
            throw FindDifference(
                description: "seed \(seed), after\n" + steps.suffix(60).map { "  \($0)\n" }.joined() + "\(error)"
            )
        }
        for live in all { statistics.add(live.listener.statistics) }
        return statistics
    }

    private mutating func makeLive() throws -> Live {
        var selector = maker.selector(maker.generator.below(3)).objectValue ?? [:]
        if maker.generator.chance(1, in: 2) {
            selector = ["type": .string(maker.pick(["a", "b"]))]
        }
        var sort: [FindOrder] = []
        if maker.generator.chance(2, in: 3) {
            for field in ["a", "b", "type", "_id"] where maker.generator.chance(1, in: 3) {
                sort.append(FindOrder(field, descending: maker.generator.chance(1, in: 2)))
            }
        }
        let limit = maker.generator.chance(2, in: 3) ? maker.generator.below(6) : nil
        let skip = maker.generator.chance(1, in: 4) ? maker.generator.below(4) : 0
        let query = try database.find(selector, sort: sort, limit: limit, skip: skip)
        let text =
            "live \(JSONValue.object(selector)) sort \(sort.map { ($0.descending ? "-" : "") + $0.field })"
            + " limit \(limit.map(String.init) ?? "-") skip \(skip)"
        steps.append(text)
        return Live(query: query, listener: query.live(interval: .zero).addListener { _ in }, text: text)
    }

    private func expectRight(_ live: Live) throws {
        let all = try model.ids(live.query.condition, live.query.sort).map { Array($0.utf8) }
        let wanted = Array(all.dropFirst(live.query.skip).prefix(live.query.limit ?? Int.max))
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let rows = live.listener.rows
            if let rows, try isRight(rows, wanted, all, live.query) { return }
            guard ContinuousClock.now < end else {
                let found = rows.map { "\($0.map(\.documentID.string))" } ?? "nothing"
                let texts = wanted.map { String(decoding: $0, as: UTF8.self) }
                throw FindDifference(description: "\(live.text): \(found), not \(texts)")
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    private func isRight(_ rows: [FindRow], _ wanted: [[UInt8]], _ all: [[UInt8]], _ query: FindQuery) throws -> Bool {
        let ids = rows.map { Array($0.documentID.string.utf8) }
        if query.sort.isEmpty {
            // Any of them, each once.
            guard ids.count == wanted.count, Set(ids).count == ids.count, Set(ids).isSubset(of: all) else {
                return false
            }
        } else if ids != wanted {
            return false
        }
        return try rows.allSatisfy { row in try database[row.documentID].revision() == row.revision }
    }
}

extension RandomFindRun.LiveStatistics {
    fileprivate mutating func add(_ other: LiveFindStatistics) {
        runs += other.runs
        documentsChecked += other.documentsChecked
    }
}
