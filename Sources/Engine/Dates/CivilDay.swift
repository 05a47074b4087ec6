/// A day of the proleptic Gregorian calendar.
struct CivilDay {
    static let milliseconds: Int64 = 86_400_000
    /// The reference date of Foundation, 1 January 2001, in days since 1 January 1970.
    static let reference: Int64 = 11_323

    /// Days since 1 January 1970.
    let sinceEpoch: Int64
    let year: Int64
    let month: Int64
    let day: Int64

    // Both directions follow Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, and
    // 400 of them are an era of 146,097 days.

    init(sinceEpoch: Int64) {
        self.sinceEpoch = sinceEpoch
        let shifted = sinceEpoch + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil if there is no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let shiftedYear = year - (month <= 2 ? 1 : 0)
        let era = shiftedYear.dividedDown(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(sinceEpoch: era * 146_097 + dayOfEra - 719_468)
        // 30 February, for example, has become 1 or 2 March.
        guard self.year == year, self.month == month, self.day == day else { return nil }
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity.
    func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
