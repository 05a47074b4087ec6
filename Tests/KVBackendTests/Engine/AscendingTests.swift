internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// IDs in ascending order take a shortcut; what is found and what is refused stays the same.
@Suite
struct AscendingTests {
    @Test("documents in any order, also after the greatest ID is removed or a long one is added")
    func anyOrder() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let long = "n" + String(repeating: "n", count: 2_000)
        try engine.write { (tx) throws(StorageError) in
            for id in ["b", "c", "d", "e"] {
                #expect(try tx.json(id) == nil)
                try tx.add(id)
            }
            for id in ["a", "cc", long, "nnn", "o", "m"] {
                #expect(try tx.json(id) == nil, "\(id.prefix(9))")
                try tx.add(id)
            }
            for id in ["p", "q"] { #expect(try tx.json(id) == nil) }
            try tx.add("r")
            for id in ["e", "o", "r", long] {
                do throws(StorageError) {
                    try tx.add(id)
                    Issue.record("\(id.prefix(9)) is there twice")
                } catch {
                    #expect(error.code == .exists)
                }
            }
            try tx.purge("r")
            #expect(try tx.json("r") == nil)
            try tx.add("r")
            try tx.add("q")
        }
        let ids = ["a", "b", "c", "cc", "d", "e", "m", "nnn", long, "o", "q", "r"].sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        var found: [String] = []
        try engine.read { (tx) throws(StorageError) in
            try tx.records(in: .all, descending: false, fields: []) { (record) throws(StorageError) in
                found.append(try record.documentID().string)
                return true
            }
        }
        #expect(found == ids)
        #expect(try engine.problems() == [])
    }

    enum LookUp: CaseIterable { case none, single, together }

    @Test("pages are filled, whether the IDs were looked up one by one, together or not", arguments: LookUp.allCases)
    func filledPages(lookUp: LookUp) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let json = #"{"x":"\#(String(repeating: "x", count: 400))"}"#
        for batch in 0..<4 {
            let ids = (0..<500).map { "d\(10_000 + batch * 500 + $0)" }
            try engine.write { (tx) throws(StorageError) in
                if lookUp == .together {
                    var documents: [DocumentID] = []
                    for id in ids { documents.append(try DocumentID(id)) }
                    try tx.records(ids: documents, fields: .metadata) { (_, _) throws(StorageError) in
                        Issue.record("There is a document before it is added")
                        return true
                    }
                }
                for id in ids {
                    if lookUp == .single { #expect(try tx.json(id) == nil) }
                    try tx.add(id, json)
                }
            }
        }
        let figures = Dictionary(uniqueKeysWithValues: try engine.statistics().details.map { ($0.name, $0.value) })
        let last = try #require(figures["lastPage"].flatMap { Int($0) })
        let free = try #require(figures["freePages"].flatMap { Int($0) })
        // Nine records of 436 bytes fit on a page; a page that is split when it is full keeps eight.
        #expect(last - free < 2000 / 9 + 30)
        #expect(try engine.problems() == [])
    }
}
