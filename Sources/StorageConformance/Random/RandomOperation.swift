/// One step of a random run. The numbers choose among what exists at that moment, so that every list of operations is
/// valid: a failing one can be shrunk by omitting any of them.
enum RandomOperation: Sendable {
    enum Change: Int, Sendable {
        case replace
        case keepOld
        case unchanged
        case conflict
    }

    case put(id: Int, content: Int, change: Change, flags: UInt8)
    case purge(id: Int)
    case dropBodies(id: Int)
    case applyChanges(id: Int, count: Int, content: Int)
    case raise(by: Int)
    case trim(percent: Int)
    case putLocal(id: Int, content: Int)
    case removeLocal(id: Int)
    case expire(id: Int, time: Int?)
    case setInfo(key: Int, content: Int?)
    case setIndex(index: Int, content: Int)
    case dropIndex(index: Int)
    case reclaim
    case emit(index: Int, id: Int, documents: Int, content: Int)
    case putEntry(index: Int, key: Int, content: Int)
    case removeEntries(index: Int, lower: Int, upper: Int)
    case removeAllEntries(index: Int)
    case setBlob(blob: Int, count: Int)
    case removeBlob(blob: Int)
    case commit
    case rollback
    case reopen
    case checkpoint
    /// Continues with a store that is restored from this one, without its indexes.
    case rebuild
    case takeSnapshot
    case compareSnapshot
    case lookUp(id: Int, count: Int, limit: Int)
    case readRecords(lower: Int, upper: Int, descending: Bool, limit: Int)
    case readChanges(lower: Int, upper: Int, descending: Bool, limit: Int)
    case readRows(index: Int, lower: Int, upper: Int, descending: Bool, limit: Int)

    static func random(_ random: inout SeededGenerator) -> RandomOperation {
        let id = random.below(RandomNames.ids.count)
        let content = random.below(1_000)
        let index = random.below(RandomNames.indexes.count)
        switch random.below(117) {
        case 100, 101: return .applyChanges(id: id, count: random.below(8), content: content)
        case 102: return .raise(by: random.below(6) - 2)
        case 103: return .rebuild
        case 106, 107: return .removeAllEntries(index: index)
        case 104, 105:
            let limit = random.below(3) == 0 ? 1 + random.below(4) : Int.max
            return .lookUp(id: id, count: random.below(50), limit: limit)
        case 0..<26:
            let change = Change(rawValue: random.below(4)) ?? .replace
            return .put(id: id, content: content, change: change, flags: UInt8(random.below(8)))
        case 26..<30: return .purge(id: id)
        case 30..<33: return .dropBodies(id: id)
        case 33..<35: return .trim(percent: random.below(130))
        case 35..<39: return .putLocal(id: id, content: content)
        case 39..<41: return .removeLocal(id: id)
        case 41..<45: return .expire(id: id, time: random.below(3) == 0 ? nil : random.below(20))
        case 45..<48: return .setInfo(key: id, content: random.below(3) == 0 ? nil : content)
        case 48..<52: return .setIndex(index: index, content: content)
        case 52: return random.below(2) == 0 ? .dropIndex(index: index) : .reclaim
        case 53..<62:
            let documents = random.below(3) == 0 ? 1 + random.below(12) : 1
            return .emit(index: index, id: id, documents: documents, content: content)
        case 62..<66, 108..<110: return .putEntry(index: index, key: random.below(10), content: content)
        case 66..<68, 110..<113: return .removeEntries(index: index, lower: random.below(12), upper: random.below(12))
        case 68..<70, 113..<115: return .setBlob(blob: random.below(6), count: random.below(3))
        case 70, 115, 116: return .removeBlob(blob: random.below(6))
        case 71..<79: return .commit
        case 79..<82: return .rollback
        case 82: return .reopen
        case 83: return .checkpoint
        case 84..<87: return .takeSnapshot
        case 87..<90: return .compareSnapshot
        default: return randomRead(&random, index)
        }
    }

    private static func randomRead(_ random: inout SeededGenerator, _ index: Int) -> RandomOperation {
        let lower = random.below(80)
        let upper = random.below(80)
        let descending = random.below(2) == 0
        let limit = random.below(3) == 0 ? 1 + random.below(4) : Int.max
        return switch random.below(3) {
        case 0: .readRecords(lower: lower, upper: upper, descending: descending, limit: limit)
        case 1: .readChanges(lower: lower, upper: upper, descending: descending, limit: limit)
        default: .readRows(index: index, lower: lower, upper: upper, descending: descending, limit: limit)
        }
    }
}

/// The names from which random runs choose: prefixes of each other, twins, and names longer than an engine's keys may
/// be.
enum RandomNames {
    static let ids: [String] = {
        let stem = String(repeating: "long/", count: 140)
        return [
            "a", "aa", "ab", "abc", "b", "B", "ba", "c", "caf\u{E9}", "cafe\u{301}", "😀", "z", stem, stem + "0",
            stem + "1",
            stem + String(repeating: "x", count: 3_000), stem + String(repeating: "x", count: 2_999) + "y", "10", "9",
            "_design/d",
        ]
    }()

    static let indexes = ["v", "view", "caf\u{E9}", "cafe\u{301}"]

    /// Returns sort keys: short ones, prefixes, all byte values, and some larger than any page.
    static func key(_ number: Int) -> [UInt8] {
        switch number % 8 {
        case 0: []
        case 1: [UInt8(number % 256)]
        case 2: [0, UInt8(number % 7)]
        case 3: [0xFF, 0xFF, UInt8(number % 3)]
        case 4: bytes("key") + [UInt8(number % 5)]
        case 5: [UInt8](repeating: 0x41, count: 600 + number % 3)
        case 6: [UInt8](repeating: 0x41, count: 5_000) + [UInt8(number % 4)]
        default: bytes("\(number % 20)")
        }
    }

    /// Mostly small; every seventh overflows a page.
    static func json(_ number: Int) -> [UInt8] {
        bytes(#"{"n":\#(number),"x":""# + String(repeating: "x", count: number % 7 == 0 ? 5_000 : number % 50) + #""}"#)
    }
}
