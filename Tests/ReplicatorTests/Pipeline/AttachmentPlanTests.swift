internal import Crypto
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("What has to be fetched")
struct AttachmentPlanTests {
    @Test(
        "an ancestor's attachment stands for a stub of the same name, byte by byte",
        arguments: ["\u{E9}", "e\u{301}"]
    )
    func names(name: String) throws {
        let bed = try ReplicationBed()
        _ = try bed.a["d"].put(["n": 1])
        try bed.a["d"].setAttachment(named: "\u{E9}", contentType: nil, content: Array("hello".utf8))
        let parent = try #require(try bed.a["d"].revision()?.id.string)
        let json = """
            {"_attachments":{"\(name)":{"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA==","length":5,"revpos":2,"stub":true}}}
            """
        let revision = TransferredRevision(
            documentID: "d",
            history: ["3-x", parent],
            isDeleted: false,
            json: Array(json.utf8),
            hasAttachments: true
        )
        let plan = try AttachmentPlan(revision, in: bed.a, trusting: true)
        #expect(plan.wishes.count == (name.utf8.count == 2 ? 0 : 1))
        try bed.close()
    }

    // CouchDB does not know the other length of what was uploaded to it with Content-Encoding.
    @Test("encoded content whose entry has the encoded length twice", arguments: [true, false])
    func lengths(isDecoded: Bool) async throws {
        let bed = try ReplicationBed()
        let plain = Array(String(repeating: "hello ", count: 20).utf8)
        let deflater = try GzipDeflater(.gzip)
        var packed: [UInt8] = []
        try deflater.push(plain.span.bytes) { bytes throws(CouchError) in
            bytes.withUnsafeBytes { packed.append(contentsOf: $0) }
        }
        try deflater.finish { bytes throws(CouchError) in bytes.withUnsafeBytes { packed.append(contentsOf: $0) } }
        let digest = AttachmentDigest(.md5, Array(Insecure.MD5.hash(data: packed))).text
        let json = """
            {"_attachments":{"f":{"content_type":"text/plain","digest":"\(digest)","encoding":"gzip",\
            "encoded_length":\(packed.count),"length":\(packed.count),"revpos":1,"stub":true}}}
            """
        let revision = TransferredRevision.make("d", ["1-a"], json, attachments: true)
        let source = ContentSource(contents: ["f": isDecoded ? plain : packed], isEncoded: !isDecoded)
        #expect(try await LocalPeer(bed.a).insert([revision], from: source) == [.added])
        let attachment = try #require(try bed.a["d"].read().attachment(named: "f"))
        #expect(try attachment.content() == plain)
        #expect(attachment.length == UInt64(plain.count) && (attachment.encoding == nil) == isDecoded)
        try bed.close()
    }
}
