/// Dates with times in the form of RFC 3339, 5.6: `2014-04-05T06:07:08.9+02:00`.
enum DateTimeFormat {
    static func matches(_ text: String) -> Bool {
        var rest = text.utf8[...]
        guard let year = number(&rest, 4), take("-", &rest),
            let month = number(&rest, 2), (1...12).contains(month), take("-", &rest),
            let day = number(&rest, 2), (1...days(month, year)).contains(day), take("T", &rest) || take("t", &rest),
            let hour = number(&rest, 2), hour < 24, take(":", &rest),
            let minute = number(&rest, 2), minute < 60, take(":", &rest),
            let second = number(&rest, 2), second <= 60
        else { return false }
        if take(".", &rest) {
            guard let digit = rest.popFirst(), Format.isDigit(digit) else { return false }
            rest = rest.drop(while: Format.isDigit)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return false }
        // A leap second can only be the last second of a day in UTC.
        return second < 60 || (hour * 60 + minute - offset + 2 * 1440) % 1440 == 1439
    }

    /// Returns the offset in minutes east of UTC.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int? {
        if take("Z", &rest) || take("z", &rest) { return 0 }
        let sign = take("+", &rest) ? 1 : take("-", &rest) ? -1 : 0
        guard sign != 0, let hours = number(&rest, 2), hours < 24, take(":", &rest),
            let minutes = number(&rest, 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private static func days(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }

    private static func number(_ rest: inout Substring.UTF8View, _ digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let byte = rest.popFirst(), Format.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }
}
