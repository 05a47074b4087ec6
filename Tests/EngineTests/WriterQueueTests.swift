import Dispatch
import Foundation
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeEngine

/// Who writes next.
@Suite struct WriterQueueTests {
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// A turn in the background.
    private struct Turn {
        /// How long it was waited for, in nanoseconds.
        var waited: UInt64
        /// The time since the last turn in the foreground.
        var gap: UInt64
    }

    /// A thread that saves one document after another waits in none of the gaps between them. Work in the background
    /// used to begin in nearly each of these.
    @Test func theGapsOfABurstAreNotForTheBackground() {
        let queue = WriterQueue()
        let last = Atomic<UInt64>(0)
        /// Whether the last turn followed closely on the one before, as it does if the system leaves the thread alone.
        let isClose = Atomic(false)
        let isOver = Atomic(false)
        let turns = Locked<[Turn]>([])
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<2 { queue.perform { last.store(WriterQueueTests.now, ordering: .relaxed) } }
        Thread.detachNewThread {
            while !isOver.load(ordering: .relaxed) {
                let start = WriterQueueTests.now
                queue.perform(inBackground: true) {
                    let now = WriterQueueTests.now
                    let turn = Turn(waited: now - start, gap: now - last.load(ordering: .relaxed))
                    if isClose.load(ordering: .relaxed) { turns.withLock { $0.append(turn) } }
                }
            }
            ended.signal()
        }
        let end = WriterQueueTests.now + 200_000_000
        while WriterQueueTests.now < end {
            queue.perform {
                let gap = WriterQueueTests.now - last.load(ordering: .relaxed)
                isClose.store(gap < 200_000, ordering: .relaxed)
                usleep(20)
                last.store(WriterQueueTests.now, ordering: .relaxed)
            }
        }
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        let all = turns.withLock { $0 }
        #expect(!all.isEmpty, "The background gets its turn beside a writer that never pauses.")
        // The first may come before the burst is seen as one.
        for turn in all.dropFirst() { #expect(turn.gap >= 200_000 || turn.waited >= 10_000_000, "\(turn)") }
    }

    /// A single write is no burst: what follows on it, such as the update of a view, begins at once.
    @Test func nothingWaitsForTheEndOfASingleWrite() {
        let queue = WriterQueue()
        var shortest = Duration.seconds(10)
        for _ in 0..<20 {
            usleep(1000)
            queue.perform {}
            let start = ContinuousClock.now
            queue.perform(inBackground: true) {}
            shortest = min(shortest, ContinuousClock.now - start)
        }
        #expect(shortest < .microseconds(150))
    }

    /// Threads in the foreground and in the background all come to their turns.
    @Test func nobodyIsForgotten() {
        let queue = WriterQueue()
        let sum = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            for number in 0..<200 {
                queue.perform(inBackground: thread % 2 == 0) { sum.withLock { $0 += number } }
            }
        }
        #expect(sum.withLock { $0 } == 6 * 200 * 199 / 2)
    }
}
