public import Logging

/// Where functions of design documents run, and what they may use.
public struct JavaScriptConfiguration: Sendable {
    /// The path of the program `settee-js`. Nil: it is searched beside the running program, then in
    /// `/usr/local/libexec` and `/usr/libexec`. `PATH` is not used.
    public var executable: String?
    /// How much processor time a function may use for a batch. Where it cannot be ended from inside, its process is
    /// ended after one and a half times this and half a second, or ten times this and five seconds if it sleeps.
    public var timeLimit: Duration
    /// The resident memory of a worker, in bytes, looked at every 50 ms while it works. Linux only.
    public var memoryLimit: Int
    /// What the functions may write for a batch, in bytes.
    public var outputLimit: Int
    /// How many documents a batch has at most.
    public var batchCount: Int
    /// How many bytes the documents of a batch have at most, unless it is a single one.
    public var batchBytes: Int
    /// How many workers a pool has at most.
    public var workers: Int
    /// After which time without work a pool ends a worker.
    public var idleTime: Duration
    /// After which time a map function is run again that met its limits for too many documents; the second time
    /// after twice this, and so on, up to an hour. Until then queries of its view end with an error at once. A function
    /// that was changed is run at once.
    public var pause: Duration
    /// Where it is noted that a worker had to be ended.
    public var logger: Logger?

    /// The defaults: 5 s, 256 MiB, 64 MiB of output, batches of 100 documents or 1 MiB, two workers for 60 s, a pause
    /// of 5 minutes.
    public init(
        executable: String? = nil,
        timeLimit: Duration = .seconds(5),
        memoryLimit: Int = 256 << 20,
        outputLimit: Int = 64 << 20,
        batchCount: Int = 100,
        batchBytes: Int = 1 << 20,
        workers: Int = 2,
        idleTime: Duration = .seconds(60),
        pause: Duration = .seconds(300),
        logger: Logger? = nil
    ) {
        self.executable = executable
        self.timeLimit = timeLimit
        self.memoryLimit = memoryLimit
        self.outputLimit = outputLimit
        self.batchCount = batchCount
        self.batchBytes = batchBytes
        self.workers = workers
        self.idleTime = idleTime
        self.pause = pause
        self.logger = logger
    }
}
