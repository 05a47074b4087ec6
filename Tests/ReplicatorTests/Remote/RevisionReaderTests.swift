internal import Testing

@testable internal import SetteeReplicator

@Suite("Documents as they come from a server")
struct RevisionReaderTests {
    private func read(_ text: String) throws(PeerError) -> TransferredRevision? {
        var reader = RevisionReader()
        let bytes = Array(text.utf8)
        guard case .revision(let revision) = try reader.read(unsafe bytes.span.bytes) else { return nil }
        return revision
    }

    @Test("a history belongs to its revision, and may be missing")
    func history() throws {
        let whole = try read(#"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":1}"#)
        #expect(whole?.history == ["2-b", "1-a"])
        #expect(try read(#"{"_id":"a","_rev":"2-b"}"#)?.history == ["2-b"])
    }

    @Test(
        "what no body may have is refused, not left out",
        arguments: [
            #""_revisions":{"start":9,"ids":["b","a"]}"#, #""_revisions":{"start":2,"ids":[]}"#, #""_revisions":7"#,
            #""_revisions":{"start":2,"ids":["c"]}"#, #""_unknown":true"#,
        ]
    )
    func refused(member: String) {
        #expect(throws: PeerError.self) { try read(#"{"_id":"a","_rev":"2-b",\#(member),"n":1}"#) }
    }
}
