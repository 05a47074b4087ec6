/// Documents of a given size: a number, a group, and text of words.
enum SizedDocument {
    /// The smallest size.
    static let least = 64

    private static let words = [
        "amber ", "brook ", "cedar ", "delta ", "ember ", "fable ", "grove ", "hollow ", "island ", "jetty ", "kettle ",
        "lark ", "meadow ", "north ", "orchard ", "pebble ", "quiet ", "river ", "stone ", "tide ",
    ].map { Array($0.utf8) }

    /// Returns document `index` as JSON text of exactly `bytes` bytes; a shorter one is not possible than `least`.
    static func json(_ people: People, _ index: Int, bytes: Int) -> [UInt8] {
        var state = People.mix(people.seed) ^ People.mix(~UInt64(index))
        let score = People.mix(state) % 1_000_000
        let group = People.mix(state ^ 1) % 50
        var text = Array("{\"group\":\(group),\"score\":\(score),\"text\":\"".utf8)
        let end = max(bytes, least) - 2
        text.reserveCapacity(end + 2)
        while text.count < end {
            state = People.mix(state)
            let word = words[Int(state % UInt64(words.count))]
            text += word.prefix(end - text.count)
        }
        text += [UInt8(ascii: "\""), UInt8(ascii: "}")]
        return text
    }
}
