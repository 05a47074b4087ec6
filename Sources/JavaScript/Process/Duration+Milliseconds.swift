extension Duration {
    /// Whole milliseconds, at most a day.
    var milliseconds: Int {
        let limited = min(max(self, .zero), .seconds(86_400)).components
        return Int(limited.seconds) * 1000 + Int(limited.attoseconds / 1_000_000_000_000_000)
    }
}
