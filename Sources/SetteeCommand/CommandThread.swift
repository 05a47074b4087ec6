internal import SetteeSystemLibrary

/// Runs a command on a thread whose stack size does not depend on the process's limit (`ulimit -s`): with a small
/// limit, any command would be killed by a signal.
enum CommandThread {
    /// The usual stack size of main threads.
    private static let stackSize = 8 << 20

    /// Runs `body` to its end; on this thread if the system cannot create another.
    static func run(_ body: @escaping () -> Void) {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        unsafe pthread_attr_init(attributes)
        defer {
            unsafe pthread_attr_destroy(attributes)
            unsafe attributes.deallocate()
        }
        unsafe pthread_attr_setstacksize(attributes, stackSize)
        #if canImport(Glibc)
        // glibc takes the default stack size of other threads from the limit. Its headers declare this function only
        // for C.
        typealias SetDefault = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
        if let symbol = unsafe dlsym(nil, "pthread_setattr_default_np") {
            _ = unsafe unsafeBitCast(symbol, to: SetDefault.self)(attributes)
        }
        #endif
        let work = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let status = unsafe pthread_create(
            &thread,
            attributes,
            { argument in
                #if canImport(Darwin)
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                #endif
                return nil
            },
            work.toOpaque()
        )
        guard status == 0 else {
            unsafe work.takeRetainedValue().body()
            return
        }
        #if canImport(Darwin)
        if let thread = unsafe thread { unsafe pthread_join(thread, nil) }
        #else
        pthread_join(thread, nil)
        #endif
    }

    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
}
