internal import CSetteeStorageFiles
internal import StorageProtocol

/// A lock between processes: flock on a file or folder.
///
/// It belongs to the open file, not to the process, and ends with it, also at a kill. It is released by name before the
/// descriptor closes: a child between fork and exec holds a duplicate that would keep it otherwise.
final class LockFile: Sendable {
    enum Kind {
        case shared
        case exclusive

        fileprivate var flag: Int32 { Int32(self == .shared ? CSF_SHARED : CSF_EXCLUSIVE_LOCK) }
    }

    let path: String
    let descriptor: Descriptor

    init(_ path: String, _ descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { release() }

    /// Takes the lock or changes its kind, without waiting.
    ///
    /// - Returns: false where another has it; what was held before is lost then.
    func attempt(_ kind: Kind) throws(StorageError) -> Bool {
        let rc = csf_flock(descriptor.raw, kind.flag)
        if rc == -SystemError.wouldBlock { return false }
        try check(rc, .reading("lock"), path)
        return true
    }

    /// Takes the lock, asking again at growing intervals until `timeout` has passed.
    func acquire(_ kind: Kind, timeout: Duration) throws(StorageError) -> Bool {
        if try attempt(kind) { return true }
        var wait = Waiting(timeout: timeout)
        while wait.pause() {
            if try attempt(kind) { return true }
        }
        return false
    }

    func release() { _ = csf_flock(descriptor.raw, Int32(CSF_UNLOCK)) }
}

/// The pauses of one who waits: from half a millisecond, growing, each a little random so that two do not keep step.
struct Waiting {
    static let first: UInt64 = 500_000
    static let longest: UInt64 = 20_000_000

    private let deadline: UInt64
    private var step = Waiting.first
    private var generator = SystemRandomNumberGenerator()

    init(timeout: Duration) {
        let (sum, overflow) = Host.now().addingReportingOverflow(timeout.nanosecondsClamped)
        deadline = overflow ? .max : sum
    }

    /// Sleeps; false without sleeping once the time is over.
    mutating func pause() -> Bool {
        let now = Host.now()
        guard now < deadline else { return false }
        let length = UInt64.random(in: step / 2...step, using: &generator)
        Host.sleep(nanoseconds: min(length, deadline - now))
        step = min(step + step / 2, Waiting.longest)
        return true
    }
}
