import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Which rows make a group, and what its key is.
@Suite struct GroupingTests {
    private static let keys: [JSONValue] = [
        nil, 1, "a", "a", [], ["a"], ["a"], ["a", 1], ["a", 1, "x"], ["a", 1, "y"], ["a", 2], ["b", 1],
        ["b", ["c"], 1],
        [["a"], 1], ["a": 1], ["a": 1], true,
    ]

    @Test(arguments: Storage.all, [false, true])
    func levelsCutArrays(type: StorageType, raw: Bool) throws {
        try withReduction(type, .count, collator: raw ? .raw : .unicode) { bed in
            var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
            for (index, key) in GroupingTests.keys.enumerated() { documents["d\(index)"] = [(key, nil)] }
            try bed.replace(documents)
            for _ in 0..<2 {
                let expected: [(grouping: ReductionGrouping, groups: [String: Int])] = [
                    (
                        .level(2),
                        [
                            "[]": 1, #"["a"]"#: 2, #"["a",1]"#: 3, #"["a",2]"#: 1, #"["b",1]"#: 1, #"["b",["c"]]"#: 1,
                            #"[["a"],1]"#: 1,
                        ]
                    ),
                    (
                        .level(1),
                        [
                            "null": 1, "true": 1, "1": 1, #""a""#: 2, "[]": 1, #"["a"]"#: 6, #"["b"]"#: 2,
                            #"[["a"]]"#: 1,
                            #"{"a":1}"#: 2,
                        ]
                    ),
                    (
                        .exact,
                        [
                            "null": 1, "true": 1, "1": 1, #""a""#: 2, "[]": 1, #"["a"]"#: 2, #"["a",1]"#: 1,
                            #"["a",1,"x"]"#: 1, #"["a",1,"y"]"#: 1, #"["a",2]"#: 1, #"["b",1]"#: 1,
                            #"["b",["c"],1]"#: 1,
                            #"[["a"],1]"#: 1, #"{"a":1}"#: 2,
                        ]
                    ),
                ]
                for (grouping, groups) in expected {
                    let ascending = try bed.groups(grouping)
                    #expect(named(ascending) == groups, "\(grouping)")
                    let order = try ascending.map { try bed.key(JSONValue(parsing: $0.keyJSON ?? [])) }
                    #expect(order == order.sorted { compareBytes($0, $1) < 0 }, "\(grouping)")
                    let descending = try bed.groups(grouping, descending: true)
                    #expect(descending.map(\.keyJSON) == ascending.reversed().map(\.keyJSON), "\(grouping)")
                    #expect(named(descending) == groups, "\(grouping)")
                    #expect(try bed.groups(grouping, limit: 2).map(\.keyJSON) == ascending.prefix(2).map(\.keyJSON))
                }
                try bed.store()
            }
        }
    }

    @Test(arguments: Storage.all)
    func nothingAndOneRowAndEqualKeys(type: StorageType) throws {
        try withReduction(type, .sum) { bed in
            for _ in 0..<2 {
                #expect(try bed.total() == nil)
                for grouping in [ReductionGrouping.none, .exact, .level(1), .level(2)] {
                    #expect(try bed.groups(grouping).isEmpty)
                    #expect(try bed.groups(grouping, descending: true).isEmpty)
                }
                try bed.store()
            }
            try bed.replace(["a": [(["k"], 5)]])
            for _ in 0..<2 {
                for grouping in [ReductionGrouping.none, .exact, .level(1), .level(2)] {
                    let groups = try bed.groups(grouping)
                    #expect(groups.map(\.value) == [5])
                    #expect(groups.first?.keyJSON == (grouping == .none ? nil : bytes(#"["k"]"#)))
                }
                try bed.store()
            }
            var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
            for number in 0..<1_500 { documents["d\(number)"] = [(["k"], 2), (["k"], 1)] }
            try bed.replace(documents)
            for _ in 0..<2 {
                for grouping in [ReductionGrouping.none, .exact, .level(1), .level(2)] {
                    for descending in [false, true] {
                        let groups = try bed.groups(grouping, descending: descending)
                        #expect(groups.map(\.value) == [4_505])
                        #expect(groups.map(\.rowCount) == [3_001])
                    }
                }
                let key = IndexPosition(key: try bed.key(["k"]))
                #expect(try bed.total(in: IndexRange(lower: .excluding(key))) == nil)
                #expect(
                    try bed.total(in: IndexRange(lower: .including(key), upper: .including(key)))?.rowCount == 3_001
                )
                let half = IndexPosition(key: key.key, documentID: bytes("d5"))
                let below = try bed.total(in: IndexRange(upper: .excluding(half)))?.rowCount ?? 0
                let above = try bed.total(in: IndexRange(lower: .including(half)))?.rowCount ?? 0
                #expect(below + above == 3_001)
                #expect(below > 500 && above > 500)
                try bed.store()
            }
        }
    }

    /// Keys that are equal in the collation form one group, written as its first row has it.
    @Test(arguments: Storage.all)
    func equalKeysMayBeWrittenDifferently(type: StorageType) throws {
        try withReduction(type, .count) { bed in
            try bed.replace(["a": [("\u{e9}", nil)], "b": [("e\u{301}", nil)]])
            let group = try #require(try bed.groups(.exact).first)
            #expect(group.rowCount == 2)
            #expect(group.keyJSON == bytes("\"\u{e9}\""))
        }
    }

    private func named(_ groups: [ReducedGroup]) -> [String: Int] {
        Dictionary(
            groups.map { (String(decoding: $0.keyJSON ?? [], as: UTF8.self), Int($0.value.intValue ?? -1)) },
            uniquingKeysWith: { _, _ in -1 }
        )
    }
}
