internal import SetteeSystemLibrary

/// The process's standard streams.
enum Terminal {
    /// Makes writes to a closed pipe (EPIPE) and beyond the file size limit (EFBIG) fail instead of ending the process.
    static func ignoreSignalsOfWriting() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Occupies the descriptors of standard streams that the caller closed. Otherwise files of the database would get
    /// these descriptors, and output would be written into them. Reads and writes on them still fail (EBADF).
    static func holdClosedStreams() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // This is the lowest free descriptor.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Standard error with a buffer of its own.
    static var standardError: OutputFile { OutputFile(descriptor: STDERR_FILENO, name: "Standard error") }

    /// Whether standard error is a terminal, so that a progress line can be drawn.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard output is a pipe or socket whose reading end was closed. Checks this without writing.
    static var readerOfOutputIsGone: Bool {
        var asked = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLERR) != 0
    }
}
