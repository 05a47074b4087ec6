internal import Settee

/// A line of progress if standard error is a terminal; otherwise nothing.
struct ProgressLine {
    private static let width = 30

    private let isShown = Terminal.showsProgress
    private let total: Int?
    private let output = Terminal.standardError
    private var isDrawn = false

    /// - Parameter total: the final value of `done`; nil if it is unknown.
    init(total: Int?) { self.total = total }

    mutating func show(_ text: String, done: Int) {
        guard isShown else { return }
        isDrawn = true
        var line = "\r\u{1B}[K"
        if let total, total > 0 {
            let full = min(ProgressLine.width, Int(Double(done) / Double(total) * Double(ProgressLine.width)))
            let bar = String(repeating: "#", count: full) + String(repeating: ".", count: ProgressLine.width - full)
            line += "[\(bar)] "
        }
        write(line + text)
    }

    mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        // If progress cannot be shown, the work continues.
        try? output.append(text)
        try? output.flush()
    }
}
