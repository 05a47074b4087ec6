internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import Testing

@testable internal import SetteeListener

/// Bodies of `_bulk_docs`, read as they come.
@Suite struct BulkReaderTests {
    private static let body = Array(
        #"""
         { "before" : [1,{"docs":[2]}] , "docs" : [ {"_id":"a","s":"]}\"\\"} ,{"_id":"b","n":[[],{}]},7 , "x\\\"", {} ],
         "new_edits":false }
        """#.utf8
    )

    private func ids(_ batches: [BulkBatch]) -> [String?] {
        batches.flatMap { $0.documents() }.map { try? $0.body.get().id }
    }

    @Test("a body may be cut anywhere", arguments: 1...40)
    func cuts(length: Int) throws {
        var reader = BulkReader(documentBytes: 1_000)
        for start in stride(from: 0, to: BulkReaderTests.body.count, by: length) {
            try reader.push(Array(BulkReaderTests.body[start..<min(start + length, BulkReaderTests.body.count)]))
        }
        try reader.finish()
        let taken = reader.takeBatch()
        let batch = try #require(taken)
        #expect(!reader.hasBatch)
        let documents = batch.documents()
        #expect(documents.count == 5)
        #expect(ids([batch]) == ["a", "b", nil, nil, nil])
        #expect((try? documents[4].body.get()) != nil)
        #expect((try? documents[2].body.get()) == nil)
        #expect(try BulkOptions(reader.options).newEdits == false)
        #expect(reader.options["before"] == [1, ["docs": [2]]])
    }

    @Test("batches come while the body does, and what was taken is not kept")
    func batches() throws {
        var reader = BulkReader(documentBytes: 32 << 20)
        try reader.push(Array(#"{"new_edits":false,"docs":[{"_id":"first"}"#.utf8))
        let document = Array(#",{"_id":"d","x":"\#(String(repeating: "x", count: 100_000))"}"#.utf8)
        var taken = 0
        for _ in 0..<200 {
            try reader.push(document)
            #expect(reader.waitingBytes < BulkBatch.fullSize + 200_000)
            while let batch = reader.takeBatch() { taken += batch.documents().count }
        }
        #expect(taken > 100)
        try reader.push(Array("]}".utf8))
        try reader.finish()
        while let batch = reader.takeBatch() { taken += batch.documents().count }
        #expect(taken == 201)
    }

    @Test("the memory of batches that were written is used again, and nothing of them")
    func reused() throws {
        var reader = BulkReader(documentBytes: 32 << 20)
        try reader.push(Array(#"{"docs":["#.utf8))
        let filler = String(repeating: "x", count: 100_000)
        var found: [String?] = []
        for number in 0..<300 {
            try reader.push(Array(#"\#(number > 0 ? "," : ""){"_id":"\#(number)","x":"\#(filler)"}"#.utf8))
            while let batch = reader.takeBatch() {
                found += ids([batch])
                reader.reuse(batch)
            }
        }
        try reader.push(Array("]}".utf8))
        try reader.finish()
        while let batch = reader.takeBatch() { found += ids([batch]) }
        #expect(found == (0..<300).map { String($0) })
    }

    @Test("empty documents count as more than their text")
    func emptyDocuments() throws {
        var reader = BulkReader(documentBytes: 1_000)
        try reader.push(Array(#"{"docs":["#.utf8))
        let documents = Array(String(repeating: "{},", count: 20_000).utf8)
        for _ in 0..<10 { try reader.push(documents) }
        #expect(reader.hasBatch)
    }

    @Test("a document, or what is beside the documents, may be too long")
    func limits() throws {
        for (text, fits) in [
            (#"{"docs":[{"x":"\#(String(repeating: "x", count: 92))"}"#, true),
            (#"{"docs":[{"x":"\#(String(repeating: "x", count: 93))"}"#, false),
            (#"{"docs":[{"x":"\#(String(repeating: "x", count: 200))"#, false),
            (#"{"o":"\#(String(repeating: "x", count: 65_000))""#, true),
            (#"{"o":"\#(String(repeating: "x", count: 70_000))"#, false),
            (#"{"\#(String(repeating: "x", count: 70_000))"#, false),
        ] {
            var reader = BulkReader(documentBytes: 100)
            var refusal: CouchError?
            do { try reader.push(Array(text.utf8)) } catch { refusal = error }
            #expect(refusal?.status == (fits ? nil : 413), "\(text.prefix(20))")
        }
        // Many short members are as long as one.
        var reader = BulkReader(documentBytes: 100)
        let members = (0..<10_000).map { "\"\($0)\":1" }.joined(separator: ",")
        #expect(throws: CouchError.self) { try reader.push(Array("{\(members)".utf8)) }
    }

    @Test("a member that is there twice is refused, since nobody knows which one is meant")
    func twice() throws {
        for text in [#"{"docs":[],"docs":[]"#, #"{"new_edits":true,"new_edits":false,"#] {
            var reader = BulkReader(documentBytes: 100)
            let error = #expect(throws: CouchError.self) { try reader.push(Array(text.utf8)) }
            #expect(error?.status == 400)
        }
    }
}

extension BulkBatch {
    fileprivate func documents() -> [BulkDocument] { documents(0..<count) }
}
