/// A search for a member of an object from the end: names are found without following the structure of the text, and
/// that a name is the object's own shows in what follows it. So this pays off in the second half.
@safe
struct JSONLateMember {
    enum Result {
        case found(Range<Int>)
        case missing
        /// Follow the structure instead.
        case unknown
    }

    /// In shorter texts there is nothing to win.
    private static let shortest = 64
    /// How many members of that name in other objects are looked at: what follows each of them has to be read.
    private static let mostOthers = 4

    private let text: UnsafeRawBufferPointer

    /// The bytes must not change while this is used.
    @unsafe
    init(_ text: UnsafeRawBufferPointer) { unsafe self.text = text }

    private var count: Int { unsafe text.count }

    /// Returns the place of the value.
    func value(_ token: JSONPointer.Token) -> Result {
        guard count >= JSONLateMember.shortest, unsafe text[0] == UInt8(ascii: "{") else { return .unknown }
        var end = count
        for _ in 0...JSONLateMember.mostOthers {
            guard let start = startOfValue(token.source, before: end) else { return end == count ? .missing : .unknown }
            if start < count / 2 { return .unknown }
            var scan = unsafe JSONSkip(text, at: start)
            guard scan.skipValue() else { return .unknown }
            let value = start..<scan.position
            guard scan.skipMembers() else { return .unknown }
            // The brace at the end of the text is the object's.
            if scan.position == count &- 1 { return .found(value) }
            end = start &- 1
        }
        return .unknown
    }

    /// Returns where the value begins that follows the last member `name` of any object before `end`.
    private func startOfValue(_ name: [UInt8], before end: Int) -> Int? {
        // The pairs of a quote and a colon that begin before this place are still to be looked at.
        var place = end &- 1
        while place >= 8 {
            let first = place &- 8
            let quotes = unsafe text.loadUnaligned(fromByteOffset: first, as: UInt64.self)
            let colons = unsafe text.loadUnaligned(fromByteOffset: first &+ 1, as: UInt64.self)
            let other = quotes.littleEndian ^ 0x2222_2222_2222_2222 | colons.littleEndian ^ 0x3A3A_3A3A_3A3A_3A3A
            // The high bit of each byte that is not zero, here and in the next step.
            let sevenBits = (other & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
            let marks = ~(sevenBits | other) & 0x8080_8080_8080_8080
            if marks == 0 {
                place = first
                continue
            }
            place = first &+ 7 &- marks.leadingZeroBitCount &>> 3
            if endsName(place, name) { return place &+ 2 }
        }
        while place > 0 {
            place &-= 1
            if unsafe text[place] == UInt8(ascii: "\""), unsafe text[place &+ 1] == UInt8(ascii: ":"),
                endsName(place, name)
            {
                return place &+ 2
            }
        }
        return nil
    }

    /// Whether `name` ends at a quote before a colon. Within a string, a quote follows a backslash, never a brace or a
    /// comma.
    private func endsName(_ quote: Int, _ name: [UInt8]) -> Bool {
        let start = quote &- name.count
        guard start >= 2, unsafe text[start &- 1] == UInt8(ascii: "\"") else { return false }
        let before = unsafe text[start &- 2]
        guard before == UInt8(ascii: "{") || before == UInt8(ascii: ",") else { return false }
        for i in 0..<name.count where unsafe text[start &+ i] != name[i] { return false }
        return true
    }
}
