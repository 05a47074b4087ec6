internal import SetteeSystemLibrary
internal import StorageProtocol

/// The value of Date headers, formatted once a second.
final class AnswerDate: Sendable {
    private let last = Locked((second: time_t.min, text: ""))

    var now: String {
        let second = time(nil)
        return last.withLock {
            if $0.second != second { $0 = (second, AnswerDate.format(second)) }
            return $0.text
        }
    }

    /// The second as RFC 9110 writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func format(_ second: time_t) -> String {
        var second = second
        var parts = unsafe tm()
        unsafe gmtime_r(&second, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return unsafe "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(Int(parts.tm_year) + 1_900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
