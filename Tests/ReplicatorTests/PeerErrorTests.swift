internal import Testing

@testable internal import SetteeReplicator

@Suite struct PeerErrorTests {
    @Test("an error keeps how long the peer asks to wait")
    func retryAfter() {
        let error = PeerError(.transient, status: 503, "Busy", retryAfter: .seconds(3))
        #expect(error.retryAfter == .seconds(3))
    }
}
