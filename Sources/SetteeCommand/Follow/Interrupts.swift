internal import Dispatch
internal import SetteeSystemLibrary

/// Catches the signals that request a program to end (SIGINT, SIGTERM, SIGHUP), so that it can end cleanly. A second
/// signal ends it at once.
final class Interrupts {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]

    /// - Parameter handler: called on another thread, with the signal's number.
    init(_ handler: @escaping @Sendable (_ signal: Int32) -> Void) {
        let registered = DispatchSemaphore(value: 0)
        sources = Interrupts.signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Interrupts.letThrough()
                handler(number)
            }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            return source
        }
        // Until its source is there, a signal ends the program as it ends any other. Ignored, it would be lost.
        for _ in sources { registered.wait() }
        #if canImport(Darwin)
        for number in Interrupts.signals { signal(number, SIG_IGN) }
        #endif
    }

    /// Stops catching the signals.
    func restore() {
        for source in sources { source.cancel() }
        Interrupts.letThrough()
    }

    private static func letThrough() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
