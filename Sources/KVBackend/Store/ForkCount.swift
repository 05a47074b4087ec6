internal import SetteeSystemLibrary
internal import StorageProtocol

/// Counts the forks between the first use of this type and this process. An object made with another count belongs to a
/// parent process.
enum ForkCount {
    /// Only written in a child that still has a single thread, so reading it needs no memory ordering.
    nonisolated(unsafe) private static let place: UnsafeMutablePointer<Int> = {
        let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        unsafe place.initialize(to: 0)
        return unsafe place
    }()

    private static let isWatching: Bool = {
        // Before the handler can run.
        unsafe _ = place
        return pthread_atfork(nil, nil, { unsafe ForkCount.place.pointee &+= 1 }) == 0
    }()

    /// The address of the count, which never changes.
    static var pointer: UnsafePointer<Int> {
        _ = isWatching
        return unsafe UnsafePointer(place)
    }
}

extension StorageError {
    static var inherited: StorageError {
        StorageError(
            .notOpen,
            "The database was opened by a parent process. Open it again in this one, after the fork."
        )
    }
}
