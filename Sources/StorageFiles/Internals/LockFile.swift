internal import CSetteeStorageFiles
internal import StorageProtocol

/// A lock between processes: `flock` on a file or folder.
///
/// It belongs to the open file, not to the process, and ends with it, also when the process is killed. It is released
/// explicitly before the descriptor is closed, because a child between fork and exec holds a duplicate that would
/// otherwise keep it.
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
    /// - Returns: False if another process has it. What was held before is lost then.
    func attempt(_ kind: Kind) throws(StorageError) -> Bool {
        let rc = csf_flock(descriptor.raw, kind.flag)
        if rc == -SystemError.wouldBlock { return false }
        try check(rc, .reading("lock"), path)
        return true
    }

    /// Takes the lock, retrying at growing intervals until `timeout` has passed.
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

/// Pauses between attempts: from half a millisecond, growing, each slightly random so that two waiting processes do not
/// stay in step.
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

    /// Sleeps. Returns false without sleeping once the time is over.
    mutating func pause() -> Bool {
        let now = Host.now()
        guard now < deadline else { return false }
        let length = UInt64.random(in: step / 2...step, using: &generator)
        Host.sleep(nanoseconds: min(length, deadline - now))
        step = min(step + step / 2, Waiting.longest)
        return true
    }
}
