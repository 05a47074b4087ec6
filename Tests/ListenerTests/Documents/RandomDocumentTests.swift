internal import Foundation
internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Random documents with attachments go from one database into another in all ways there are, and are equal then.
@Suite struct RandomDocumentTests {
    struct Model {
        var contents: [String: [UInt8]] = [:]
        var encoded: Set<String> = []
    }

    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let names = ["a", "b.txt", "c/d", "\u{E4}\u{1F6CB}", "e \"f\"", "g\\h", "i;j=k", "l\u{301}"]

    @Test(arguments: AttachmentBed.types) func goThroughAllWays(_ storage: StorageType) async throws {
        let seed: UInt64 = RandomDocumentTests.isLong ? .random(in: 0 ... .max) : 4
        try await withAttachments(storage, databases: ["db", "related", "mixed", "bulk", "inline"]) { bed in
            var random = SeededGenerator(seed: seed)
            for number in 0..<(RandomDocumentTests.isLong ? 400 : 25) {
                let id = "doc\(number)"
                let model = try await make(id, bed, &random)
                try await copy(id, bed)
                let original = await bed.send(.get, "/db/\(id)?revs=true").json
                for name in ["related", "mixed", "bulk", "inline"] {
                    // As base64, contents arrive decoded, and then have other digests.
                    let isExact = name != "inline" || model.encoded.isEmpty
                    let copy = await bed.send(.get, "/\(name)/\(id)?revs=true").json
                    #expect(!isExact || copy == original, "\(name), seed \(seed), document \(number)")
                    for (attachment, content) in model.contents {
                        let path = "/\(name)/\(id)/" + attachment.utf8.map { String(format: "%%%02X", $0) }.joined()
                        #expect(await bed.send(.get, path).has(content), "\(path), seed \(seed), document \(number)")
                        let isEncoded = name != "inline" && model.encoded.contains(attachment)
                        let stored = await bed.send(.get, path, ["Accept-Encoding": "gzip"])
                        #expect((stored.header("Content-Encoding") == "gzip") == isEncoded)
                    }
                }
            }
        }
    }

    /// Makes a document by up to five attachments, one after the other.
    private func make(_ id: String, _ bed: AttachmentBed, _ random: inout SeededGenerator) async throws -> Model {
        var model = Model()
        var revision = try await bed.put("/db/\(id)", #"{"number":\#(random.below(1_000)),"text":"\r\n--b"}"#)
        for _ in 0..<random.below(6) {
            let name = RandomDocumentTests.names[random.below(RandomDocumentTests.names.count)]
            var content = random.bytes([0, 1, 100, 65_536, 65_537, 200_000][random.below(6)])
            if random.chance(1, in: 4) { content = Array("\r\n--".utf8) + content + Array("\r\n".utf8) }
            let path = "/db/\(id)/" + name.utf8.map { String(format: "%%%02X", $0) }.joined() + "?rev=\(revision)"
            let isEncoded = random.chance(1, in: 3)
            revision = try await bed.attach(
                path,
                isEncoded ? gzip(content) : content,
                isEncoded ? ["Content-Encoding": "gzip"] : ["Content-Type": "text/\(random.below(9))"]
            )
            model.contents[name] = content
            model.encoded.remove(name)
            if isEncoded { model.encoded.insert(name) }
        }
        return model
    }

    /// Copies a document as replicators do.
    private func copy(_ id: String, _ bed: AttachmentBed) async throws {
        let related = await bed.send(.get, "/db/\(id)?revs=true&attachments=true", ["Accept": "multipart/related"])
        try await put(id, in: "related", related.header("Content-Type"), related.body, bed)
        let mixed = try MessageParts.read(await bed.send(.get, "/db/\(id)?revs=true&open_revs=all"))
        #expect(mixed.count == 1)
        try await put(id, in: "mixed", mixed[0].type, mixed[0].content, bed)
        let headers = ["Content-Type": "application/json", "Accept": "multipart/mixed"]
        let request = Array(#"{"docs":[{"id":"\#(id)"}]}"#.utf8)
        let bulk = try MessageParts.read(await bed.send(.post, "/db/_bulk_get?revs=true", headers, request))
        try await put(id, in: "bulk", bulk[0].type, bulk[0].content, bed)
        let json = ["Accept": "application/json"]
        let path = "/db/\(id)?revs=true&attachments=true&att_encoding_info=true"
        let inline = await bed.send(.get, path, json)
        try await put(id, in: "inline", "application/json", inline.body, bed)
    }

    private func put(_ id: String, in name: String, _ type: String?, _ body: [UInt8], _ bed: AttachmentBed) async throws
    {
        let headers = ["Content-Type": try #require(type)]
        let answer = await bed.send(.put, "/\(name)/\(id)?new_edits=false", headers, body)
        #expect(answer.status == 201, "\(name): \(answer.text)")
    }
}
