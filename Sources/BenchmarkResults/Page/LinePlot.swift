internal import Foundation

/// Curves on two axes, of which the vertical one is logarithmic.
struct LinePlot {
    struct Curve {
        var name: String
        var look: Int
        var points: [(x: Double, y: Double)]
    }

    /// A mark of an axis.
    struct Tick {
        var place: Double
        var text: String
    }

    private static let (width, height) = (300.0, 190.0)
    private static let (left, right, top, bottom) = (50.0, 12.0, 10.0, 24.0)

    let curves: [Curve]
    let ticks: [Tick]
    let label: String
    let write: (Double) -> String

    /// - Parameters:
    ///   - ticks: of the horizontal axis; those outside the curves are not drawn.
    ///   - write: how a value of the vertical axis is written.
    init(_ curves: [Curve], ticks: [Tick], label: String, write: @escaping (Double) -> String) {
        self.curves = curves.map { curve in
            var curve = curve
            curve.points = curve.points.filter { $0.x.isFinite && $0.y.isFinite && $0.y > 0 }
            return curve
        }
        .filter { !$0.points.isEmpty }
        self.ticks = ticks
        self.label = label
        self.write = write
    }

    var isEmpty: Bool { curves.isEmpty }

    func draw(into page: inout Markup) {
        let all = curves.flatMap(\.points)
        guard let first = all.map(\.x).min(), let last = all.map(\.x).max(), let low = all.map(\.y).min(),
            let high = all.map(\.y).max()
        else { return }
        let decades = Range(first, last, floor(log10(low)), max(ceil(log10(high)), floor(log10(low)) + 1))
        page.element("div", ["class": "plot"]) { page in
            let size = "0 0 \(Int(LinePlot.width)) \(Int(LinePlot.height))"
            page.element("svg", ["viewBox": size, "role": "img", "aria-label": label]) { page in
                axes(decades, into: &page)
                for curve in curves { draw(curve, decades, into: &page) }
            }
        }
    }

    /// What the axes reach over: the horizontal one in its own unit, the vertical one in powers of ten.
    private struct Range {
        let (first, last, low, high): (Double, Double, Double, Double)

        init(_ first: Double, _ last: Double, _ low: Double, _ high: Double) {
            (self.first, self.last, self.low, self.high) = (first, last, low, high)
        }

        func x(_ value: Double) -> Double {
            let space = width - left - right
            return last > first ? left + (value - first) / (last - first) * space : left + space / 2
        }

        func y(_ value: Double) -> Double {
            height - bottom - (log10(value) - low) / (high - low) * (height - top - bottom)
        }
    }

    private func axes(_ range: Range, into page: inout Markup) {
        // At most five powers of ten have a line.
        let step = max(1, ((range.high - range.low) / 4).rounded(.up))
        for power in stride(from: range.low, through: range.high, by: step) {
            let y = Figures.fixed(range.y(pow(10, power)), 1)
            let ends = (Figures.fixed(LinePlot.left, 0), Figures.fixed(LinePlot.width - LinePlot.right, 0))
            page.empty("line", ["class": "axis", "x1": ends.0, "x2": ends.1, "y1": y, "y2": y])
            let place = Figures.fixed(range.y(pow(10, power)) + 4, 1)
            page.element(
                "text",
                ["x": Figures.fixed(LinePlot.left - 6, 0), "y": place, "text-anchor": "end"],
                text: write(pow(10, power))
            )
        }
        var free = -Double.infinity
        for tick in ticks where tick.place >= range.first && tick.place <= range.last {
            let x = range.x(tick.place)
            // Six units are about the width of a digit. A mark that would touch the one before is left out.
            let half = Double(tick.text.count) * 3.2
            let middle = min(max(x, half + 1), LinePlot.width - half - 1)
            guard middle - half > free else { continue }
            free = middle + half + 4
            page.element(
                "text",
                [
                    "x": Figures.fixed(middle, 1), "y": Figures.fixed(LinePlot.height - 8, 0),
                    "text-anchor": "middle",
                ],
                text: tick.text
            )
        }
    }

    private func draw(_ curve: Curve, _ range: Range, into page: inout Markup) {
        let points = curve.points.map { point in
            "\(Figures.fixed(range.x(point.x), 1)),\(Figures.fixed(range.y(point.y), 1))"
        }
        if points.count > 1 {
            page.empty("polyline", ["class": "curve s\(curve.look)", "points": points.joined(separator: " ")])
        }
        // A few measured points are marked, so that a single one is seen.
        guard points.count <= 8 else { return }
        for point in curve.points {
            let place = (Figures.fixed(range.x(point.x), 1), Figures.fixed(range.y(point.y), 1))
            page.empty("circle", ["class": "f\(curve.look)", "cx": place.0, "cy": place.1, "r": "3"])
        }
    }
}
