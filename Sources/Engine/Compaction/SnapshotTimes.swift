/// The times since when snapshots of a database are open in this process. Guarded by the state lock of `Database`.
package struct SnapshotTimes {
    /// Identifies a snapshot until it ends.
    package typealias Slot = Int

    /// Nanoseconds of the monotonic clock; 0: not in use.
    private var starts: [UInt64] = []
    private var free: [Slot] = []

    mutating func begin(at time: UInt64) -> Slot {
        let start = max(time, 1)
        guard let slot = free.popLast() else {
            starts.append(start)
            return starts.count - 1
        }
        starts[slot] = start
        return slot
    }

    mutating func end(_ slot: Slot) {
        starts[slot] = 0
        free.append(slot)
    }

    /// The times of open snapshots, the oldest first.
    var open: [UInt64] { starts.filter { $0 != 0 }.sorted() }
}
