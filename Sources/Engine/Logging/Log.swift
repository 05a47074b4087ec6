internal import Logging
package import StorageProtocol
internal import Synchronization

/// Logging through swift-log: a `Logger` for each `LogDomain`, with the label of the domain.
///
/// Only serious problems (`error` and above) are logged unless a level is set for the domain here. The program that
/// uses Settee decides with `LoggingSystem.bootstrap` where messages go from then on. The level set here decides,
/// whatever that of the handler is.
///
/// Messages never contain the content of a document or an attachment, an info value or a key. Document IDs appear as
/// tags (`doc#1f3a99c2`), which are the same for the same ID as long as the process lives and reveal nothing else about
/// it.
public enum Log {
    /// The default level.
    public static let defaultLevel = LogLevel.error

    /// Sets the lowest level that a domain logs, for the whole process, from now on.
    public static func setLevel(_ level: LogLevel, for domain: LogDomain) {
        let shift = UInt64(domain.index * bitsPerDomain)
        var present = levels.load(ordering: .relaxed)
        while true {
            let next = (present & ~(mask << shift)) | (level.rank << shift)
            let (exchanged, original) = levels.compareExchange(
                expected: present,
                desired: next,
                ordering: .relaxed
            )
            if exchanged { return }
            present = original
        }
    }

    /// Sets the level of every domain.
    public static func setLevel(_ level: LogLevel) {
        for domain in LogDomain.allCases { setLevel(level, for: domain) }
    }

    /// Returns the lowest level that a domain logs.
    public static func level(of domain: LogDomain) -> LogLevel {
        let rank = rank(of: domain)
        return LogLevel.allCases.first { $0.rank == rank } ?? defaultLevel
    }

    // MARK: - Logging

    /// Logs where the domain's level lets the message through; else `message` is not made.
    ///
    /// - Complexity: where it does not, one load from memory.
    @inline(__always)
    package static func log(_ level: LogLevel, _ domain: LogDomain, _ message: @autoclosure () -> String) {
        guard level.rank >= rank(of: domain) else { return }
        write(level, domain, message())
    }

    /// A document's ID as messages name it.
    package static func tag(_ id: DocumentID) -> String { "doc#" + DocumentTag.text(of: id) }

    /// An error as messages tell it. Messages of some kinds may name a document, or quote it, so that only the kind is
    /// told; of damage also the message, without what stands between its first quotation mark and its last one.
    package static func describe(_ error: any Error) -> String {
        guard let error = error as? StorageError else { return "an error of type \(type(of: error))" }
        let kind = "\(error.status) \(error.code)"
        if openCodes.contains(error.code) { return kind + ": " + error.message }
        return error.code == .corrupt ? kind + ": " + unquoted(error.message) : kind
    }

    private static func unquoted(_ message: String) -> String {
        let text = message.utf8
        let marks = [UInt8(ascii: "'"), UInt8(ascii: "\"")]
        guard let first = text.firstIndex(where: marks.contains), let last = text.lastIndex(where: marks.contains)
        else {
            return message
        }
        return String(message[..<first]) + "'...'" + String(message[text.index(after: last)...])
    }

    /// The kinds whose messages speak of files, processes and the engine alone.
    private static let openCodes: Set<StorageError.Code> = [
        .readOnly, .inUse, .full, .fileSystem, .storage, .busy, .notOpen, .unsupportedFormat,
    ]

    private static let bitsPerDomain = 4
    private static let mask: UInt64 = 15

    /// The levels of all domains, four bits each.
    private static let levels = Atomic<UInt64>(
        LogDomain.allCases.reduce(0) { $0 | (defaultLevel.rank << UInt64($1.index * bitsPerDomain)) }
    )

    @inline(__always)
    private static func rank(of domain: LogDomain) -> UInt64 {
        (levels.load(ordering: .relaxed) >> UInt64(domain.index * bitsPerDomain)) & mask
    }

    /// A message that was let through.
    struct Message {
        var level: LogLevel
        var domain: LogDomain
        var text: String
    }

    /// Runs `body`, and hands on what this thread logs meanwhile when it is over, whatever its end: a handler may call
    /// what `body` keeps others from. Inside of another one the outermost hands it on.
    package static func holdingBack<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        let context = ThreadContext.current
        guard context.heldMessages == nil else { return try body() }
        context.heldMessages = []
        defer {
            let messages = context.heldMessages.take() ?? []
            for message in messages { write(message.level, message.domain, message.text) }
        }
        return try body()
    }

    @inline(never)
    private static func write(_ level: LogLevel, _ domain: LogDomain, _ message: String) {
        let context = ThreadContext.current
        if context.heldMessages != nil {
            context.heldMessages?.append(Message(level: level, domain: domain, text: message))
            return
        }
        guard let level = level.level else { return }
        // A new one each time: one that is kept would write to standard error for ever, had the program chosen a
        // handler after the first message.
        var logger = Logger(label: domain.label)
        logger.logLevel = .trace
        logger.log(level: level, "\(message)", source: "Settee")
    }
}
