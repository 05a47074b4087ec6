internal import Settee
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite(.timeLimit(.minutes(10))) struct RunningReplicationsTests {
    @Test("whoever waits for a replication learns that it was cancelled, and not only that it is over")
    func cancelled() async throws {
        let running = RunningReplications(tasks: ActiveTasks(), limit: 3)
        let task = ActiveTasks.Entry(kind: ActiveTasks.replication, database: "db", began: 0)
        for cancels in [true, false] {
            let (fake, id) = (FakeReplication(failure: nil), "\(cancels)")
            #expect(try running.begin(id, as: task) { fake }.isNew)
            let (other, isNew) = try running.begin(id, as: task) { fake }
            #expect(!isNew && !other.isCancelled)
            if cancels { #expect(await running.cancel(id)) } else { fake.end() }
            try await other.wait()
            #expect(other.isCancelled == cancels)
        }
    }
}
