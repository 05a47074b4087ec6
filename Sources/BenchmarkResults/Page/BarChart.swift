/// Horizontal bars, one for each engine, on a scale of their own. What is said of a bar stands above it, so that
/// nothing overlaps, however narrow the page is.
struct BarChart {
    struct Bar {
        var engine: String
        var value: Double
        var low: Double?
        var high: Double?
        /// A mark to compare with, such as the rate of plain C.
        var limit: Double?
        /// What is written at the bar.
        var text: String
    }

    var bars: [Bar]
    /// The place of an engine among all of the file, which decides its colour.
    var look: (String) -> Int

    func draw(into page: inout Markup) {
        let most = bars.flatMap { [$0.value, $0.high ?? 0, $0.limit ?? 0] }.filter(\.isFinite).max() ?? 0
        for bar in bars {
            page.element("div", ["class": "bar"]) { page in
                page.element("p") { page in
                    page.element("span", ["class": "engine"], text: bar.engine)
                    page.element("span", text: bar.text)
                }
                page.element("svg", ["role": "img", "aria-label": "\(bar.engine): \(bar.text)"]) { page in
                    draw(bar, most: most, into: &page)
                }
            }
        }
    }

    private func draw(_ bar: Bar, most: Double, into page: inout Markup) {
        func part(_ value: Double) -> String {
            // Half a percent shows that there is something.
            guard most > 0, value.isFinite else { return "0%" }
            return Figures.fixed(min(max(value / most * 100, 0.5), 100), 2) + "%"
        }
        page.empty("rect", ["class": "f\(look(bar.engine))", "y": "2", "height": "10", "width": part(bar.value)])
        if let low = bar.low, let high = bar.high, high > low {
            page.empty("line", ["class": "whisker", "x1": part(low), "x2": part(high), "y1": "7", "y2": "7"])
            for end in [low, high] {
                page.empty("line", ["class": "whisker", "x1": part(end), "x2": part(end), "y1": "4", "y2": "10"])
            }
        }
        if let limit = bar.limit {
            page.empty("line", ["class": "limit", "x1": part(limit), "x2": part(limit), "y1": "0", "y2": "14"])
        }
    }
}
