internal import SetteeSystemLibrary

/// How many forks lie between the first use of this type and this process: what was made under another count belongs to
/// a parent process.
enum ForkCount {
    /// Written only in a child that has one thread yet, so that reading it needs no order.
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

    /// Where the count stands, for ever.
    static var pointer: UnsafePointer<Int> {
        _ = isWatching
        return unsafe UnsafePointer(place)
    }
}
