internal import Settee

/// Rows as aligned columns of text. The first rows determine the widths; a longer cell pushes the following ones to the
/// right.
struct Columns {
    private static let measured = 200

    private let output: OutputFile
    private var waiting: [[String]] = []
    private var widths: [Int]?

    init(_ output: OutputFile) { self.output = output }

    mutating func row(_ cells: [String]) throws(StorageError) {
        let cells = cells.map(Columns.printable)
        if let widths { return try write(cells, widths) }
        waiting.append(cells)
        if waiting.count == Columns.measured { try finish() }
    }

    /// Prints the rows that were held back to determine the widths.
    mutating func finish() throws(StorageError) {
        guard widths == nil else { return }
        let columns = waiting.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            waiting.map { column < $0.count ? min($0[column].count, 60) : 0 }.max() ?? 0
        }
        self.widths = widths
        for cells in waiting { try write(cells, widths) }
        waiting = []
    }

    private func write(_ cells: [String], _ widths: [Int]) throws(StorageError) {
        var line = ""
        for (column, cell) in cells.enumerated() {
            line += cell
            if column < cells.count - 1 {
                let width = column < widths.count ? widths[column] : 0
                line += String(repeating: " ", count: max(0, width - cell.count) + 2)
            }
        }
        try output.append(line + "\n")
    }

    /// Returns the text with control characters escaped: an ID must not move the cursor or break the line.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}
