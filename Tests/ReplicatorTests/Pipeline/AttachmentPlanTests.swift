internal import Settee
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
}
