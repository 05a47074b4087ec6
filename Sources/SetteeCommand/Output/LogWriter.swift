internal import Foundation
internal import Logging
internal import Settee

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Writes log messages to standard error, a line each: time, level, label, message.
struct LogWriter: LogHandler {
    let label: String
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Called once, before anything is logged.
    static func install() { LoggingSystem.bootstrap { LogWriter(label: $0) } }

    func log(event: LogEvent) {
        let time = Date().ISO8601Format(.init(includingFractionalSeconds: true))
        let output = OutputFile(descriptor: STDERR_FILENO, name: "Standard error")
        // Where standard error cannot be written there is nobody left to tell.
        try? output.append("\(time) \(event.level) \(label): \(Columns.printable("\(event.message)"))\n")
        try? output.flush()
    }
}
