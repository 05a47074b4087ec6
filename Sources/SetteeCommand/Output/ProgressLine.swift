internal import Settee

/// A line of progress on a terminal; nothing anywhere else.
struct ProgressLine {
    private static let width = 30

    private let isShown = Terminal.showsProgress
    private let total: Int?
    private let output = Terminal.standardError
    private var isDrawn = false

    /// - Parameter total: what `done` counts up to, nil where that is unknown.
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
        // Progress is no result: where it cannot be shown, the work goes on.
        try? output.append(text)
        try? output.flush()
    }
}
