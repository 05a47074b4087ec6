internal import Foundation

/// How numbers are written, in tables and on the page.
enum Figures {
    /// Three digits with a prefix of the SI: `1.2 k`, `345 M`.
    static func compact(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let prefixes = ["", "k", "M", "G", "T", "P", "E"]
        var scaled = abs(value)
        var prefix = 0
        // 999.6 has three digits as 1.0 k, not as 1000.
        while scaled >= 999.5, prefix + 1 < prefixes.count {
            scaled /= 1000
            prefix += 1
        }
        let number = (value < 0 ? "-" : "") + significant(scaled, 3)
        return prefix == 0 ? number : "\(number) \(prefixes[prefix])"
    }

    /// Six digits or more, with commas between thousands: `1,234,567`, `12,345.6`, `0.00123`.
    static func exact(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        guard value >= 0 else { return "-" + exact(-value) }
        let digits = significant(value, 6)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first else { return digits }
        return grouped(String(whole)) + (parts.count == 2 ? "." + parts[1] : "")
    }

    static func exact(_ value: Int) -> String { value < 0 ? "-" + grouped("\(value.magnitude)") : grouped("\(value)") }

    /// `12.3 µs`, `4.5 ms`, `2 s`.
    static func duration(microseconds value: Double) -> String {
        switch value {
        case ..<1: value == 0 ? "0 µs" : significant(value * 1000, 3) + " ns"
        case ..<999.5: significant(value, 3) + " µs"
        case ..<999_500: significant(value / 1000, 3) + " ms"
        default:
            compact(value / 1e6).hasSuffix(" k") ? exact((value / 1e6).rounded()) + " s" : compact(value / 1e6) + " s"
        }
    }

    /// `12.3 MB`, in steps of 1000.
    static func bytes(_ value: Double) -> String {
        let number = compact(value)
        return number.contains(" ") ? number + "B" : number + " B"
    }

    /// `1.3`: a factor with two digits behind the point below 10, and three digits in all above it.
    static func factor(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        return value < 10 ? trimmed(fixed(value, 2)) : exact(Double(significant(value, 3)) ?? value)
    }

    /// `+12.3 %`.
    static func change(_ part: Double) -> String {
        guard part.isFinite else { return "-" }
        return (part < 0 ? "-" : "+") + exact(abs((part * 1000).rounded() / 10)) + " %"
    }

    static func fixed(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

    /// At least `digits` digits, without zeros at the end behind the point.
    private static func significant(_ value: Double, _ digits: Int) -> String {
        guard value > 0, value.isFinite else { return value > 0 ? "-" : "0" }
        let before = Int(log10(value).rounded(.down)) + 1
        return trimmed(fixed(value, min(max(digits - before, 0), 12)))
    }

    private static func trimmed(_ number: String) -> String {
        guard number.contains(".") else { return number }
        var number = number[...]
        while number.hasSuffix("0") { number.removeLast() }
        return String(number.hasSuffix(".") ? number.dropLast() : number)
    }

    private static func grouped(_ digits: String) -> String {
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += "," }
            grouped.append(digit)
        }
        return grouped
    }
}
