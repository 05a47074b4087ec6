import Dispatch
import Foundation
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeStorageFiles

/// Opening a database sweeps the files of dead holders. A holder that tried again under the same name could lose its
/// file to a process that had looked at the first try: a writer would then empty the trash although the holder had a
/// snapshot.
@Suite("Holders' files while others sweep") struct HolderRaceTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil ? 20_000 : 400

    @Test func aLivingHolderKeepsItsFile() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let database = home.database
        let folder = try DatabaseFolder.open(at: database)
        let manifest = folder.state.withLock { $0.manifest }
        let isOver = Atomic<Bool>(false)
        let lost = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { worker in
            guard worker == 0 else {
                while !isOver.load(ordering: .relaxed) { Sweep.folder(database, manifest) }
                return
            }
            defer { isOver.store(true, ordering: .relaxed) }
            for round in 0..<Self.rounds {
                do {
                    let holder = try OwnHolder(folder: database)
                    // A process that looked before the file was locked has continued by now.
                    for _ in 0..<20 {
                        let isThere = try Holders.live(database).contains { $0.name == holder.name }
                        if !isThere { lost.withLock { $0.append("round \(round)") } }
                    }
                    holder.remove()
                } catch {
                    lost.withLock { $0.append("round \(round): \(error)") }
                }
            }
        }
        #expect(lost.withLock { $0 } == [])
        folder.close()
    }
}
