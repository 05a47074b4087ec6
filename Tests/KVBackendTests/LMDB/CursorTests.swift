internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Cursors move both ways, and know their position.
@Suite struct CursorTests {
    private func store(_ keys: [String]) throws -> (TestFolder, LMDBStore) {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for key in keys { try now.put(key, Array(key.utf8)) }
        }
        return (folder, store)
    }

    @Test func placesAreFound() throws {
        let (folder, store) = try store(["b", "d", "f"])
        try store.read { (now) throws(StorageError) in
            let cursor = try now.cursor(.documents)
            #expect(try !cursor.next())
            #expect(try !cursor.previous())
            #expect(cursor.key.isEmpty)
            let seeks: [(String, atOrAfter: String?, before: String?)] = [
                ("", "b", nil), ("a", "b", nil), ("b", "b", nil), ("c", "d", "b"), ("d", "d", "b"), ("f", "f", "d"),
                ("g", nil, "f"),
            ]
            for (key, atOrAfter, before) in seeks {
                #expect(try cursor.seek(atOrAfter: key) == (atOrAfter != nil))
                #expect(cursor.keyText == atOrAfter ?? "")
                #expect(Array(cursor.value) == Array((atOrAfter ?? "").utf8))
                #expect(try cursor.seek(before: key) == (before != nil))
                #expect(cursor.keyText == before ?? "")
            }
            #expect(try cursor.seek(.last))
            #expect(cursor.keyText == "f")
            #expect(try cursor.previous())
            #expect(cursor.keyText == "d")
            #expect(try cursor.next())
            #expect(try !cursor.next())
            // The end is sticky.
            #expect(try !cursor.previous())
            #expect(try cursor.seek(.first))
            #expect(try !cursor.previous())
            #expect(try !cursor.next())
            let empty = try now.cursor(.bodies)
            for place in [CursorPlace.first, .last] { #expect(try !empty.seek(place)) }
        }
        store.close()
        withExtendedLifetime(folder) {}
    }

    @Test func aClosedCursorSaysSo() throws {
        let (folder, store) = try store(["a"])
        let transaction = try store.beginRead()
        let closed = try transaction.cursor(.documents)
        closed.close()
        closed.close()
        #expect(code { _ = try closed.seek(.first) } == .notOpen)
        let left = try transaction.cursor(.documents)
        #expect(try left.seek(.first))
        transaction.end()
        #expect(code { _ = try left.next() } == .notOpen)
        #expect(left.key.isEmpty && left.value.isEmpty)
        store.close()
        withExtendedLifetime(folder) {}
    }

    /// LMDB frees the cursors of a write transaction when it ends.
    @Test func cursorsEndWithTheirTransaction() throws {
        let (folder, store) = try store(["a", "b"])
        for isCommitted in [true, false] {
            let transaction = try store.beginWrite()
            let cursors = try (0..<5).map { _ in try transaction.cursor(.documents) }
            cursors[2].close()
            for cursor in cursors where cursor !== cursors[2] { #expect(try cursor.seek(.last)) }
            try transaction.put("c", [1])
            if isCommitted { try transaction.commit() } else { transaction.end() }
            for cursor in cursors { #expect(code { _ = try cursor.next() } == .notOpen) }
        }
        store.close()
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [true, false])
    func removingGoesOn(isForward: Bool) throws {
        let keys = (0..<400).map { "\(100_000 + $0)" + String(repeating: "k", count: 150) }
        let (folder, store) = try store(keys)
        try store.write { (now) throws(StorageError) in
            let cursor = try now.cursor(.documents)
            var met: [String] = []
            var isThere = try cursor.seek(isForward ? .first : .last)
            while isThere {
                met.append(cursor.keyText)
                if met.count % 3 != 0 {
                    try cursor.remove()
                    #expect(cursor.key.isEmpty)
                    #expect(code { try cursor.remove() } == .storage)
                }
                isThere = isForward ? try cursor.next() : try cursor.previous()
            }
            #expect(met == (isForward ? keys : keys.reversed()))
        }
        let left = isForward ? keys : keys.reversed()
        let expected = left.enumerated().filter { $0.offset % 3 == 2 }.map(\.element).sorted()
        #expect(try store.read { (now) throws(StorageError) in try now.keys() } == expected)
        store.close()
        withExtendedLifetime(folder) {}
    }

    /// Random work against a sorted array, with cursors that stay while others write.
    @Test(arguments: 1...3)
    func doesAsASortedArrayDoes(seed: UInt64) throws {
        var random = Steps(seed)
        let folder = try TestFolder()
        let store = try folder.open()
        var model: [String: [UInt8]] = [:]
        for _ in 0..<4 {
            var next = model
            let transaction = try store.beginWrite()
            let cursor = try transaction.cursor(.documents)
            for _ in 0..<150 {
                let key = "\(100 + random.below(120))" + String(repeating: "k", count: 200)
                let value = [UInt8](repeating: UInt8(random.below(256)), count: random.below(1200))
                let sorted = next.keys.sorted()
                switch random.below(8) {
                case 0...3:
                    try transaction.put(key, value)
                    next[key] = value
                case 4:
                    #expect(try transaction.put(key, value, mode: .insert) == (next[key] == nil))
                    if next[key] == nil { next[key] = value }
                case 5:
                    #expect(try transaction.remove(key) == (next.removeValue(forKey: key) != nil))
                case 6:
                    let expected = sorted.first { $0 >= key }
                    #expect(try cursor.seek(atOrAfter: key) == (expected != nil), "seed \(seed)")
                    #expect(cursor.keyText == expected ?? "", "seed \(seed)")
                    guard let expected else { continue }
                    #expect(Array(cursor.value) == next[expected], "seed \(seed)")
                    try cursor.remove()
                    next[expected] = nil
                    let following = sorted.first { $0 > expected }
                    #expect(try cursor.next() == (following != nil), "seed \(seed)")
                    #expect(cursor.keyText == following ?? "", "seed \(seed)")
                default:
                    let expected = sorted.last { $0 < key }
                    #expect(try cursor.seek(before: key) == (expected != nil), "seed \(seed)")
                    #expect(cursor.keyText == expected ?? "", "seed \(seed)")
                    guard let expected else { continue }
                    let preceding = sorted.last { $0 < expected }
                    #expect(try cursor.previous() == (preceding != nil), "seed \(seed)")
                    #expect(cursor.keyText == preceding ?? "", "seed \(seed)")
                }
            }
            #expect(try transaction.keys() == next.keys.sorted(), "seed \(seed)")
            if random.below(4) == 0 {
                transaction.end()
            } else {
                try transaction.commit()
                model = next
            }
            try store.read { (now) throws(StorageError) in
                #expect(try now.keys() == model.keys.sorted(), "seed \(seed)")
                for (key, value) in model { #expect(try now.value(key) == value, "seed \(seed)") }
            }
        }
        store.close()
    }
}

/// The same numbers for the same seed.
private struct Steps {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
