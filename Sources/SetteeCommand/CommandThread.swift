internal import SetteeSystemLibrary

/// A thread whose stack does not depend on the limit that the process was started with (`ulimit -s`): with little of it
/// any command would end in a signal.
enum CommandThread {
    /// What main threads usually have.
    private static let stackSize = 8 << 20

    /// Runs `body` to its end, on this thread where the system has no room for another.
    static func run(_ body: @escaping () -> Void) {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        unsafe pthread_attr_init(attributes)
        defer {
            unsafe pthread_attr_destroy(attributes)
            unsafe attributes.deallocate()
        }
        unsafe pthread_attr_setstacksize(attributes, stackSize)
        #if canImport(Glibc)
        // glibc gives the threads of the libraries what the limit says. Its headers show this to C alone.
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
