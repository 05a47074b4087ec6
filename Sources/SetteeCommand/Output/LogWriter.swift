internal import Foundation
internal import Logging
internal import Settee
internal import SetteeSystemLibrary

/// Writes log messages to standard error, one per line: time, level, label, message. In JSON they are under `log`,
/// separate from errors.
struct LogWriter: LogHandler {
    let label: String
    let asJSON: Bool
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Called once, before anything is logged.
    static func install(asJSON: Bool) { LoggingSystem.bootstrap { LogWriter(label: $0, asJSON: asJSON) } }

    func log(event: LogEvent) {
        let time = Date().ISO8601Format(.init(includingFractionalSeconds: true))
        let output = OutputFile(descriptor: STDERR_FILENO, name: "Standard error")
        // If standard error cannot be written, the message is lost.
        if asJSON {
            let entry = JSONLine().string("time", time).string("level", "\(event.level)").string("domain", label)
                .string("message", "\(event.message)")
            try? output.append(JSONLine().json("log", entry.object).bytes)
        } else {
            try? output.append("\(time) \(event.level) \(label): \(Columns.printable("\(event.message)"))\n")
        }
        try? output.flush()
    }
}
