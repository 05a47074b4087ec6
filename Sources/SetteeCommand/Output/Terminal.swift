internal import SetteeSystemLibrary

/// The process's standard streams.
enum Terminal {
    /// Lets writes to a closed pipe fail (EPIPE), and those beyond the limit on file sizes (EFBIG), instead of ending
    /// the process.
    static func ignoreSignalsOfWriting() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Takes the places of standard streams that the caller closed. Files of the database would get their descriptors,
    /// and output would be written into them. Reading and writing there goes on failing (EBADF).
    static func holdClosedStreams() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free descriptor is this one.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Standard error, written to through a buffer of its own.
    static var standardError: OutputFile { OutputFile(descriptor: STDERR_FILENO, name: "Standard error") }

    /// Whether standard error is a terminal, so that a progress line can be drawn.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output is a terminal, where people read.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard output is a pipe or socket whose reading end was closed; asked without writing.
    static var readerOfOutputIsGone: Bool {
        var asked = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLERR) != 0
    }
}
