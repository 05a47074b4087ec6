/// A slot in the reader table, with LMDB's transaction that owns it. Reused for many snapshots.
@safe
final class LMDBReader {
    let handle: OpaquePointer
    /// The trees of its current snapshot.
    let pages: SnapshotPages
    /// When the snapshot that uses it began, in nanoseconds of a clock that never goes back; 0 while idle. Protected by
    /// the lock of the environment's state.
    var since: UInt64 = 0

    init(_ handle: OpaquePointer, _ map: PageMap) {
        unsafe self.handle = unsafe handle
        pages = SnapshotPages(map)
    }
}
