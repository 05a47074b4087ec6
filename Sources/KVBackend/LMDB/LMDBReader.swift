/// A place in the table of readers, with LMDB's transaction that owns it. Used again and again.
@safe
final class LMDBReader {
    let handle: OpaquePointer
    /// The trees of its present snapshot.
    let pages: SnapshotPages
    /// When the snapshot that uses it began, in nanoseconds of a clock that never goes back; 0 while idle. Under the
    /// lock of the environment's state.
    var since: UInt64 = 0

    init(_ handle: OpaquePointer, _ map: PageMap) {
        unsafe self.handle = unsafe handle
        pages = SnapshotPages(map)
    }
}
