internal import Settee

/// Shows the progress of a conversion on a terminal.
struct ConversionLine {
    private var line = ProgressLine(total: 100)
    /// The highest number of documents that any copying phase reported, and the bytes of all copying phases.
    private(set) var documents: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// Whether it continued the work of a killed conversion.
    private(set) var isResumed = false
    private var earlierBytes: UInt64 = 0
    private var phase: ConversionProgress.Phase?
    private let start = ContinuousClock.now

    var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    mutating func show(_ progress: ConversionProgress) {
        if progress.phase != phase {
            phase = progress.phase
            earlierBytes = bytes
        }
        isResumed = progress.isResumed
        if progress.phase != .verification {
            documents = max(documents, progress.documents)
            bytes = earlierBytes + progress.bytes
        }
        let share = Int(progress.share * 100)
        var text = "\(ConversionLine.name(progress.phase)): \(share) %"
        if progress.isResumed { text += ", resumed" }
        if progress.documents > 0 { text += ", \(progress.documents) documents" }
        text += ", \(Int(progress.bytesPerSecond / 1_000_000)) MB/s"
        if let left = progress.timeLeft { text += ", \(Int((left / .seconds(1)).rounded(.up))) s left" }
        line.show(text, done: share)
    }

    mutating func clear() { line.clear() }

    private static func name(_ phase: ConversionProgress.Phase) -> String {
        switch phase {
        case .attachments: "attachments"
        case .data: "data"
        case .verification: "verifying"
        }
    }
}

extension JSONLine {
    /// Adds the figures of a conversion.
    consuming func figures(of conversion: ConversionLine, documents: UInt64) -> JSONLine {
        let milliseconds = Int((conversion.seconds * 1_000).rounded())
        return number("documents", documents).number("bytes", conversion.bytes)
            .json("seconds", Array("\(Double(milliseconds) / 1_000)".utf8)).bool("resumed", conversion.isResumed)
    }
}
