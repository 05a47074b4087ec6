import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

@testable import SetteeEngine

/// Random trees with branches of unequal length, pruned at each insert and compacted now and then, against a model that
/// walks up from each leaf.
@Suite struct RandomTreeTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// A document's revisions as a plain table.
    private struct Model {
        struct Entry {
            var parent: RevisionID?
            var isDeleted: Bool
            /// Nil where the body is not kept.
            var text: String?
        }

        var entries: [RevisionID: Entry] = [:]

        var leaves: [RevisionID] {
            let parents = Set(entries.values.compactMap(\.parent))
            return entries.keys.filter { !parents.contains($0) }
        }

        var winner: RevisionID? {
            leaves.max { a, b in
                let (left, right) = (entries[a]?.isDeleted ?? true, entries[b]?.isDeleted ?? true)
                return left != right ? left : a < b
            }
        }

        func line(_ id: RevisionID) -> [RevisionID] {
            var line: [RevisionID] = []
            var next: RevisionID? = id
            while let id = next, let entry = entries[id] {
                line.append(id)
                next = entry.parent
            }
            return line
        }

        mutating func insert(_ history: [RevisionID], isDeleted: Bool, text: String, depth: Int) {
            guard entries[history[0]] == nil else { return }
            for (position, id) in history.enumerated() {
                if entries[id] != nil { break }
                let parent = position + 1 < history.count ? history[position + 1] : nil
                entries[id] = Entry(
                    parent: parent,
                    isDeleted: position == 0 && isDeleted,
                    text: position == 0 ? text : nil
                )
            }
            let kept = Set(leaves.flatMap { line($0).prefix(depth) })
            entries = entries.filter { kept.contains($0.key) }
            for (id, entry) in entries {
                if let parent = entry.parent, entries[parent] == nil { entries[id]?.parent = nil }
            }
        }

        mutating func compact() {
            let leaves = Set(self.leaves)
            for id in entries.keys where !leaves.contains(id) { entries[id]?.text = nil }
        }

        mutating func purge(_ leaf: RevisionID) {
            let others = Set(leaves.filter { $0 != leaf }.flatMap { line($0) })
            for id in line(leaf) where !others.contains(id) { entries[id] = nil }
        }
    }

    @Test(arguments: Storage.every, [1, 2, 3, 20] as [Int]) func treesArePrunedLeafByLeaf(
        _ type: StorageType,
        _ depth: Int
    ) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.setMaxRevTreeDepth(depth)
            for seed in 1...(RandomTreeTests.isLong ? 200 : 2) as ClosedRange<UInt64> { try run(bed, depth, seed) }
        }
    }

    private func run(_ bed: TestDatabase, _ depth: Int, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(depth))
        var model = Model()
        let document = bed.database["doc\(seed)"]
        for step in 0..<60 {
            let text = #"{"n":\#(step)}"#
            let isDeleted = Int.random(in: 0..<6, using: &generator) == 0
            let known = model.entries.keys.sorted()
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                try bed.database.compact()
                model.compact()
            case 1:
                if let leaf = model.leaves.sorted().randomElement(using: &generator) {
                    try document.purge(revisions: [leaf])
                    model.purge(leaf)
                }
            case 2..<6:
                // The longest branch grows by several revisions at once.
                guard let tip = known.last else { continue }
                let growth = UInt64(Int.random(in: 1...8, using: &generator))
                let new = try (1...growth).reversed().map { try RevisionID("\(tip.generation + $0)-g\(step)") }
                try document.forceInsert(json: text, history: new + model.line(tip), isDeleted: isDeleted)
                model.insert(new + model.line(tip), isDeleted: isDeleted, text: text, depth: depth)
            default:
                let parent =
                    Int.random(in: 0..<8, using: &generator) == 0 ? nil : known.randomElement(using: &generator)
                let id = try RevisionID("\((parent?.generation ?? 0) + 1)-\(step)")
                let history = [id] + (parent.map { model.line($0) } ?? [])
                try document.forceInsert(json: text, history: history, isDeleted: isDeleted)
                model.insert(history, isDeleted: isDeleted, text: text, depth: depth)
            }
            if step % 5 == 4 { try bed.database.read { _ in try compare(document, model) } }
        }
    }

    private func compare(_ document: Document, _ model: Model) throws {
        let leaves = try document.leafRevisions()
        #expect(Set(leaves.map(\.id)) == Set(model.leaves))
        #expect(leaves.first?.id == model.winner)
        var seen = Set<RevisionID>()
        for leaf in leaves {
            let history = try leaf.history()
            #expect(history.map(\.id) == model.line(leaf.id))
            for info in history {
                seen.insert(info.id)
                let entry = model.entries[info.id]
                #expect(info.isDeleted == entry?.isDeleted)
                #expect(info.hasBody == (entry?.text != nil))
                #expect(try info.revision()?.text == entry?.text)
            }
        }
        #expect(seen == Set(model.entries.keys))
    }
}
