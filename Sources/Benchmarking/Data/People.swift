/// The people data: fictional persons as JSON, 150 to 1,000 bytes each. The same seed gives the same bytes everywhere,
/// the same as Benchmarks/baseline/people.c.
public struct People: Sendable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The finalizer of SplitMix64.
    static func mix(_ value: UInt64) -> UInt64 {
        var x = value &+ 0x9E37_79B9_7F4A_7C15
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return x ^ (x >> 31)
    }

    /// Returns the ID of document `index`: seven digits in order, or 16 hexadecimal digits in no order.
    public static func documentID(_ index: Int, random: Bool) -> String {
        let digits: StaticString = "0123456789abcdef"
        let length = random ? 16 : max(7, "\(index + 1)".utf8.count)
        return unsafe String(unsafeUninitializedCapacity: length) { buffer in
            var rest = random ? mix(UInt64(index)) : UInt64(index + 1)
            for position in (0..<length).reversed() {
                let digit = random ? rest & 15 : rest % 10
                rest = random ? rest >> 4 : rest / 10
                unsafe buffer[position] = digits.utf8Start[Int(digit)]
            }
            return length
        }
    }

    /// Returns the document for random read number `turn`.
    static func randomDocument(_ turn: Int, of documents: Int) -> Int {
        Int(mix(~UInt64(turn)) % UInt64(documents))
    }

    /// Returns person number `index` as JSON text without a newline.
    public func json(_ index: Int) -> [UInt8] {
        var writer = PersonWriter(state: People.mix(seed) ^ People.mix(~UInt64(index)))
        return writer.person()
    }
}

/// The text of one person, and the random numbers it is made from.
private struct PersonWriter {
    var state: UInt64
    private var text = ""

    init(state: UInt64) { self.state = state }

    private static let firstNames = [
        "Agnes", "Bertil", "Carola", "Dimitri", "Eleonor", "Fabio", "Gudrun", "Henning",
        "Ines", "Joakim", "Katarina", "Lorenzo", "Mirella", "Niklas", "Ottilie", "Patricio",
    ]
    private static let lastNames = [
        "Abernathy", "Bergqvist", "Castellano", "Dahlgren", "Eisenhart", "Fontaine", "Grabowski",
        "Holmstrom", "Ivanova", "Jablonski", "Kowalczyk", "Lindgren", "Moreau", "Nakamura",
    ]
    private static let streets = [
        "Acorn", "Birch", "Canal", "Dock", "Elm", "Foundry", "Garden", "Harbour", "Juniper", "Lantern",
    ]
    private static let cities = [
        "Aalborg", "Bad Homburg", "Cork", "Den Helder", "Evora", "Fort Augustus", "Ghent", "Haugesund", "Ischia",
        "Jena",
    ]
    private static let states = [
        "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
        "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",
        "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
    ]
    private static let likes = [
        "archery", "baking", "chess", "drawing", "fencing", "gardening",
        "hiking", "juggling", "knitting", "rowing", "sailing", "whittling",
    ]
    private static let words = [
        "amber", "brook", "cedar", "delta", "ember", "fable", "grove", "hollow", "island", "jetty",
        "kettle", "lark", "meadow", "north", "orchard", "pebble", "quiet", "river", "stone", "tide",
    ]

    private mutating func below(_ limit: Int) -> Int {
        let value = People.mix(state)
        state &+= 0x9E37_79B9_7F4A_7C15
        return Int(((value >> 32) * UInt64(limit)) >> 32)
    }

    private mutating func choice(_ list: [String]) -> String { list[below(list.count)] }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    mutating func person() -> [UInt8] {
        let first = choice(PersonWriter.firstNames)
        let last = choice(PersonWriter.lastNames)
        let score = below(1_000_000)
        let kind = below(100)
        text += "{\"name\":{\"first\":\"\(first)\",\"last\":\"\(last)\"}"
        text += ",\"gender\":\"\(below(2) == 1 ? "male" : "female")\",\"birthday\":"
        addDate(from: 1930, years: 75)
        let state = choice(PersonWriter.states)
        text += ",\"contact\":{\"address\":{"
        if kind < 10 {
            text += "\"state\":\"\(state)\"}}"
        } else {
            addContact(first, last, state)
            addLikes()
            text += ",\"memberSince\":"
            addDate(from: 2005, years: 8)
            if kind >= 90 { addNote() }
        }
        text += ",\"score\":\(score)"
        addBalance()
        return Array(text.utf8)
    }

    private mutating func addDate(from firstYear: Int, years: Int) {
        let year = firstYear + below(years)
        let month = 1 + below(12)
        text += "\"\(year)-\(PersonWriter.padded(month, 2))-\(PersonWriter.padded(1 + below(28), 2))\""
    }

    private mutating func addContact(_ first: String, _ last: String, _ state: String) {
        let number = 1 + below(98)
        text += "\"street\":\"\(number) \(choice(PersonWriter.streets)) St\""
        text += ",\"zip\":\"\(PersonWriter.padded(10_000 + below(90_000), 5))\""
        text += ",\"city\":\"\(choice(PersonWriter.cities))\",\"state\":\"\(state)\"}"
        let mail = "@people.example.org"
        text += ",\"email\":[\"\(first.lowercased()).\(last.lowercased())\(mail)\",\"\(last.lowercased())\(mail)\"]"
        text += ",\"region\":\"\(PersonWriter.padded(200 + below(800), 3))\",\"phone\":["
        for phone in 0..<(1 + below(3)) {
            let prefix = 200 + below(800)
            text += "\(phone > 0 ? "," : "")\"\(prefix)-\(PersonWriter.padded(below(10_000_000), 7))\""
        }
        text += "]}"
    }

    private mutating func addLikes() {
        var taken = Set<Int>()
        var chosen: [String] = []
        for _ in 0..<(1 + below(3)) {
            var like = below(PersonWriter.likes.count)
            while taken.contains(like) { like = (like + 1) % PersonWriter.likes.count }
            taken.insert(like)
            chosen.append("\"\(PersonWriter.likes[like])\"")
        }
        text += ",\"likes\":[\(chosen.joined(separator: ","))]"
    }

    private mutating func addNote() {
        let count = 20 + below(80)
        let words = (0..<count).map { _ in choice(PersonWriter.words) }
        text += ",\"note\":\"\(words.joined(separator: " "))\""
    }

    /// Adds -1,000.00 to 10,000.00 as the shortest decimal; integers end in `.0`.
    private mutating func addBalance() {
        let cents = below(1_100_001) - 100_000
        let magnitude = abs(cents)
        let rest = magnitude % 100
        let fraction = rest % 10 == 0 ? "\(rest / 10)" : PersonWriter.padded(rest, 2)
        text += ",\"balance\":\(cents < 0 ? "-" : "")\(magnitude / 100).\(fraction)}"
    }
}
