internal import Foundation

/// The header Retry-After (RFC 9110, 10.2.3).
enum RetryAfter {
    private static let longest = 86_400.0

    /// How long to wait, at most a day; nil for what is neither seconds nor a date.
    static func parse(_ header: String, now: Date = .now) -> Duration? {
        let text = header.trimmingCharacters(in: .whitespaces)
        // Some send fractions.
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        guard let seconds = isNumber ? Double(text) : date(text)?.timeIntervalSince(now) else { return nil }
        return .seconds(max(0, min(seconds, longest)))
    }

    /// The form that is sent today: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
