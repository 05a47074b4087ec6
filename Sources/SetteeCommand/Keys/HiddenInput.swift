internal import Settee
internal import SetteeSystemLibrary

/// The terminal while it does not show what is typed. Only one exists at a time.
final class HiddenInput {
    /// The longest line that a terminal passes on, with its line feed. It would silently drop the rest.
    #if canImport(Darwin)
    static let longestLine = 1024
    #else
    static let longestLine = 4096
    #endif
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// The terminal's settings before, for the signal handler. Never freed, because a signal may arrive at any time.
    nonisolated(unsafe) private static var settings: UnsafeMutablePointer<termios>?
    nonisolated(unsafe) private static var terminal: Int32 = -1

    /// The signals that were blocked before.
    private var mask = sigset_t()
    private let input: Int32
    private let output: Int32
    private var handlers: [(number: Int32, handler: SignalHandler)] = []

    #if canImport(Darwin)
    private typealias SignalHandler = (@convention(c) (Int32) -> Void)?
    #else
    private typealias SignalHandler = __sighandler_t?
    #endif

    /// - Throws: `fileSystem` (498) if the terminal's settings cannot be read or changed.
    init() throws(StorageError) {
        // A session without a terminal of its own uses the standard streams.
        let own = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        input = own >= 0 ? own : STDIN_FILENO
        output = own >= 0 ? own : STDERR_FILENO
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else {
            let number = SystemError.last
            closeOwn()
            throw SystemError.make("The terminal could not be asked for a key", number)
        }
        let memory = unsafe HiddenInput.settings ?? UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe memory.initialize(to: settings)
        unsafe HiddenInput.settings = unsafe memory
        unsafe HiddenInput.terminal = input
        for number in HiddenInput.signals {
            let before = signal(number, HiddenInput.restoreAndEnd)
            // A signal that is ignored stays ignored.
            if unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = signal(number, before)
            } else {
                handlers.append((number, before))
            }
        }
        // The parent process may have blocked the signals; then the prompt could not be interrupted.
        var ours = sigset_t()
        unsafe sigemptyset(&ours)
        for (number, _) in handlers { unsafe sigaddset(&ours, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &ours, &mask)
        settings.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        settings.c_iflag |= tcflag_t(ICRNL)
        // Ctrl-Z would leave a terminal that shows no input.
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { unsafe $0[Int(VSUSP)] = HiddenInput.disabled }
        guard unsafe tcsetattr(input, TCSADRAIN, &settings) == 0 else {
            let number = SystemError.last
            end()
            throw SystemError.make("The terminal could not be kept from showing a key", number)
        }
    }

    #if canImport(Darwin)
    private static let disabled: UInt8 = 0xFF
    #else
    private static let disabled: UInt8 = 0
    #endif

    /// Calls only functions that a signal handler may call.
    private static let restoreAndEnd: @convention(c) (Int32) -> Void = { number in
        if let settings = unsafe HiddenInput.settings {
            unsafe _ = tcsetattr(HiddenInput.terminal, TCSANOW, settings)
        }
        _ = signal(number, SIG_DFL)
        raise(number)
    }

    /// Restores the terminal's settings.
    func end() {
        if let settings = unsafe HiddenInput.settings { unsafe _ = tcsetattr(input, TCSADRAIN, settings) }
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        for (number, handler) in handlers { _ = signal(number, handler) }
        handlers = []
        closeOwn()
    }

    private func closeOwn() {
        if input != STDIN_FILENO { close(input) }
    }

    /// Writes the question and reads a line.
    ///
    /// - Returns: its length in bytes, without the line feed.
    /// - Throws: `badRequest` (400) at the end of the input, `badParameter` (495) if the line is too long for a
    ///   terminal.
    func line(_ question: String, into buffer: UnsafeMutableBufferPointer<UInt8>) throws(StorageError) -> Int {
        try show(question)
        var count = 0
        while unsafe count == 0 || buffer[count - 1] != UInt8(ascii: "\n") {
            guard count < buffer.count else { break }
            let more = unsafe systemRead(input, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            if more > 0 {
                count += more
            } else if more == 0 {
                try show("\n")
                throw StorageError(.badRequest, "No key was typed. Nothing was changed; repeat the command.")
            } else {
                let number = SystemError.last
                switch number {
                case EINTR: continue
                case EAGAIN:
                    var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
                    _ = unsafe poll(&wanted, 1, -1)
                default: throw SystemError.make("The terminal could not be read", number)
                }
            }
        }
        try show("\n")
        guard count < buffer.count else {
            throw StorageError(.badParameter, "The key is too long to be typed on a terminal. Write it into a file.")
        }
        return count - 1
    }

    private func show(_ text: String) throws(StorageError) {
        let terminal = OutputFile(descriptor: output, name: "The terminal")
        try terminal.append(text)
        try terminal.flush()
    }
}
