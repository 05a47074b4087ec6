import Foundation
import Settee
import Testing

/// Dates as text: RFC 3339 with milliseconds, in UTC.
@Suite struct ISO8601Tests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1.5, "1970-01-01T00:00:01.500Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800, "+010000-01-01T00:00:00.000Z"),
        (-62_167_219_200.001, "-000001-12-31T23:59:59.999Z"),
    ]) func texts(_ seconds: Double, _ text: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.iso8601 == text)
        let back = try #require(Date(iso8601: text))
        #expect(abs(back.timeIntervalSince(date)) < 0.000_01)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000Z"),
        ("2026-11-21 20:25:08Z", "2026-11-21T20:25:08.000Z"),
        ("2026-11-21T00:00:00-23:59", "2026-11-21T23:59:00.000Z"),
        ("2026-11-21T00:00:00+23:59", "2026-11-20T00:01:00.000Z"),
        ("2026-11-21t20:25:08z", "2026-11-21T20:25:08.000Z"),
        ("2026-11-21T21:25:08.5+01:00", "2026-11-21T20:25:08.500Z"),
        ("2026-11-21T21:25:08,25+0100", "2026-11-21T20:25:08.250Z"),
        ("2026-11-21T12:25:08.123456789-08", "2026-11-21T20:25:08.123Z"),
        ("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ]) func manyFormsAreRead(_ text: String, _ canonical: String) {
        #expect(Date(iso8601: text)?.iso8601 == canonical)
    }

    @Test(arguments: [
        "", "x", "2026", "2026-11", "2026-11-21T", "2026-11-21T20", "2026-11-21T20:25:08.Z", "2026-13-01", "2026-02-29",
        "1900-02-29", "2026-00-10", "2026-01-00", "2026-11-21T24:00:00Z", "2026-11-21T20:60Z", "2026-11-21T20:25:61Z",
        "2026-11-21T20:25:08+", "2026-11-21T20:25:08+1", "2026-11-21T20:25:08+01:",
        "2026-11-21T20:25Z", "2026-11-21 20:25:08", "2026-11-21T20:25:08 +02:00", "2026-11-21T20:25:08+25:00",
        "2026-11-21T20:25:08+01:60", "2026-11-21junk", "2026-02-30", "2026-11-21T24:30:00Z", "2026-11-21T20:25:08Zx",
        "-000000-01-01", "2026-11-21Z", " 2026-11-21", "２０２６-11-21",
    ]) func othersAreNot(_ text: String) {
        #expect(Date(iso8601: text) == nil)
        #expect(JSONValue.string(text).dateValue == nil)
    }

    @Test func millisecondsComeBackExactly() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let milliseconds = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = ISO8601.text(of: date)
            let back = text.flatMap(ISO8601.date(from:))
            #expect(back.flatMap(ISO8601.text(of:)) == text)
            // A date that was read stays the same.
            let again = back.flatMap(ISO8601.text(of:)).flatMap(ISO8601.date(from:))
            #expect(again == back)
        }
    }

    @Test func itAgreesWithFoundation() throws {
        // Before 1582 Foundation uses the Julian calendar.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for step in 0..<5000 {
            let date = Date(timeIntervalSince1970: -12_000_000_000 + Double(step) * 51_234_567.25)
            #expect(ISO8601.text(of: date) == date.formatted(style))
        }
    }

    @Test func datesWithoutText() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, 1e17] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(ISO8601.text(of: date) == nil)
            #expect(JSONValue(iso8601: date).isNull)
        }
    }
}
