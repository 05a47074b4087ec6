internal import SetteeDocumentValues
internal import SetteeSystemLibrary
package import StorageProtocol
internal import Synchronization

/// What the calling thread is doing with each database. Transactions belong to threads, and calls inside one join it.
package final class ThreadContext {
    package enum Activity {
        case snapshot(any ReadTransaction, OpenGeneration)
        case write(WriteSession)
        /// Inside a closure of the user that must not call the database; the name of the closure.
        case closure(StaticString)
    }

    /// The parser for writes of this thread, kept because its buffers are expensive to make.
    private var parser = JSONParser()
    /// Texts longer than this are parsed with temporary buffers.
    private static let keptTextLength = 1 << 20

    /// The task that the thread is working for.
    package private(set) var gate: TaskGate?

    /// Validations of what this thread alone writes, the innermost last.
    private var validations: [(store: ObjectIdentifier, function: Validation)] = []

    private var frames: [(store: ObjectIdentifier, activity: Activity)] = []

    /// The number of the thread in traces.
    private(set) lazy var traceNumber = ThreadContext.lastTraceNumber.add(1, ordering: .relaxed).newValue
    private static let lastTraceNumber = Atomic<Int>(0)

    /// The messages that the thread has logged and that are passed on later; nil: they are passed on at once.
    var heldMessages: [Log.Message]?

    /// The stores that the thread reads from or writes to.
    var stores: Set<ObjectIdentifier> { Set(frames.map(\.store)) }

    /// Returns the innermost activity of this thread on `database`.
    package func activity(on database: Database) -> Activity? {
        guard !frames.isEmpty else { return nil }
        let identity = ObjectIdentifier(database.store)
        return frames.last { $0.store == identity }?.activity
    }

    /// Returns the generation of this thread's transaction or snapshot on `database`; nil if it has none.
    func generation(of database: Database) -> OpenGeneration? {
        let identity = ObjectIdentifier(database.store)
        for frame in frames.reversed() where frame.store == identity {
            switch frame.activity {
            case .snapshot(_, let generation): return generation
            case .write(let session): return session.generation
            case .closure: continue
            }
        }
        return nil
    }

    /// Runs `body` with `activity` as the innermost one on `database`.
    package func with<R, E: Error>(
        _ activity: Activity,
        on database: Database,
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        frames.append((ObjectIdentifier(database.store), activity))
        defer { frames.removeLast() }
        return try body()
    }

    /// The validations of what this thread writes to `database`.
    func validations(on database: Database) -> [Validation] {
        if validations.isEmpty { return [] }
        let identity = ObjectIdentifier(database.store)
        return validations.filter { $0.store == identity }.map(\.function)
    }

    /// Runs `body` with one more validation of what this thread writes to `database`.
    func with<R, E: Error>(
        _ validation: @escaping Validation,
        on database: Database,
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        validations.append((ObjectIdentifier(database.store), validation))
        defer { validations.removeLast() }
        return try body()
    }

    /// Runs `body` for a task.
    func with<R>(_ gate: TaskGate, _ body: () throws -> R) rethrows -> R {
        let before = self.gate
        self.gate = gate
        defer { self.gate = before }
        return try body()
    }

    /// Parses the text of a document.
    func parseBody(_ text: RawSpan) throws(StorageError) -> DocumentBody {
        guard text.byteCount <= ThreadContext.keptTextLength else { return try DocumentBody(parsing: text) }
        return try DocumentBody(parsing: text, with: &parser)
    }

    /// The context of the calling thread.
    package static var current: ThreadContext {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<ThreadContext>.fromOpaque(known).takeUnretainedValue()
        }
        let fresh = ThreadContext()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(fresh).toOpaque())
        return fresh
    }

    /// The thread-specific slot. The system calls the closure with the value of the slot when a thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        #if canImport(Darwin)
        let status = unsafe pthread_key_create(&key) { unsafe Unmanaged<ThreadContext>.fromOpaque($0).release() }
        #else
        let status = unsafe pthread_key_create(&key) { slot in
            if let slot = unsafe slot { unsafe Unmanaged<ThreadContext>.fromOpaque(slot).release() }
        }
        #endif
        precondition(status == 0, "No thread-specific key is left in this process.")
        return key
    }()
}
