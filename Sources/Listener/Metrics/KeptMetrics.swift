internal import CoreMetrics
internal import StorageProtocol

/// Keeps what a listener reports, and tells it in Prometheus' text format.
///
/// Names and labels are those of `ListenerMetrics`: none needs an escape.
final class KeptMetrics: MetricsFactory {
    private struct Key: Hashable {
        var label: String
        var dimensions: [String]
    }

    private struct Entry {
        var kind: KeptFigure.Kind
        var label: String
        /// As the format has them, such as `route="db",method="PUT"`; empty without any.
        var labels: String
        var figure: KeptFigure
    }

    private let entries: Locked<[Key: Entry]> = Locked([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        figure(.counter, label, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        figure(.gauge, label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        figure(aggregate ? .summary : .gauge, label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        figure(.timer, label, dimensions)
    }

    // Their last figures are told as long as the listener is there.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func figure(_ kind: KeptFigure.Kind, _ label: String, _ dimensions: [(String, String)]) -> KeptFigure {
        let key = Key(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] })
        return entries.withLock { entries in
            if let entry = entries[key] { return entry.figure }
            let labels = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
            let figure = KeptFigure()
            entries[key] = Entry(kind: kind, label: label, labels: labels, figure: figure)
            return figure
        }
    }

    /// All figures, sorted by name and labels.
    ///
    /// - Complexity: O(n log n) for n figures.
    var text: String {
        let entries = entries.withLock { Array($0.values) }
            .sorted { ($0.label, $0.labels) < ($1.label, $1.labels) }
        var text = ""
        var last: String?
        for entry in entries {
            let name = entry.label + entry.kind.suffix
            if name != last { text += "# TYPE \(name) \(entry.kind.type)\n" }
            last = name
            let labels = entry.labels.isEmpty ? "" : "{\(entry.labels)}"
            let (sum, count) = entry.figure.values
            switch entry.kind {
            case .counter, .gauge: text += "\(name)\(labels) \(KeptMetrics.number(sum))\n"
            case .summary, .timer:
                let total = entry.kind == .timer ? sum / 1e9 : sum
                text += "\(name)_sum\(labels) \(KeptMetrics.number(total))\n\(name)_count\(labels) \(count)\n"
            }
        }
        return text
    }

    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
