internal import CSetteeReferences
internal import StorageProtocol

/// A reference to a database that does not keep it alive.
///
/// A `weak` reference moves the object's counts into a side table, and every retain and release of the object takes
/// three times as long from then on. Each document retains its database, so nothing in this package refers to one with
/// `weak`.
@safe
package final class DatabaseReference: Sendable {
    /// The database. Under the lock its memory exists: `end` is called in its `deinit`.
    private let pointer = unsafe Locked<UnsafeMutableRawPointer?>(nil)

    /// The database; nil once its last reference is gone.
    package var database: Database? {
        unsafe pointer.withLock { pointer in
            guard let pointer = unsafe pointer, let retained = unsafe swift_tryRetain(pointer) else { return nil }
            return unsafe Unmanaged<Database>.fromOpaque(retained).takeRetainedValue()
        }
    }

    func begin(_ database: Database) {
        unsafe pointer.withLock { unsafe $0 = Unmanaged.passUnretained(database).toOpaque() }
    }

    /// The database is being released.
    func end() {
        unsafe pointer.withLock { unsafe $0 = nil }
    }
}
