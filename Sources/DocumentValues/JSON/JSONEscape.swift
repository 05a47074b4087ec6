/// An escape in a string. A surrogate pair counts as one.
struct JSONEscape {
    var scalar: UInt32
    /// The offset after it.
    var end: Int

    /// Reads the escape at `start`, which has already been checked.
    init(_ view: RawView, at start: Int) {
        end = start &+ 2
        switch view[start &+ 1] {
        case UInt8(ascii: "b"): scalar = 8
        case UInt8(ascii: "f"): scalar = 12
        case UInt8(ascii: "n"): scalar = 10
        case UInt8(ascii: "r"): scalar = 13
        case UInt8(ascii: "t"): scalar = 9
        case UInt8(ascii: "u"):
            scalar = JSONStringScan.hexadecimal(view, at: start &+ 2) ?? 0xFFFD
            end = start &+ 6
            if (0xD800..<0xDC00).contains(scalar) {
                let low = JSONStringScan.hexadecimal(view, at: start &+ 8) ?? 0xDC00
                scalar = 0x10000 &+ (scalar &- 0xD800) &<< 10 &+ (low &- 0xDC00)
                end = start &+ 12
            }
        case let byte: scalar = UInt32(byte)
        }
    }

    var utf8: UTF8.EncodedScalar {
        UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }

    /// Writes the canonical text of a character that must be escaped, or the character itself. Returns the offset after
    /// it.
    func write(to view: RawView, at place: Int) -> Int {
        if scalar < 0x20 || scalar == 0x22 || scalar == 0x5C {
            return JSONEscape.write(UInt8(scalar), to: view, at: place)
        }
        var out = place
        for byte in utf8 {
            view[out] = byte
            out &+= 1
        }
        return out
    }

    /// Writes the canonical escape of a quote, backslash or control character. Returns the offset after it.
    static func write(_ byte: UInt8, to view: RawView, at place: Int) -> Int {
        view[place] = UInt8(ascii: "\\")
        let letter: UInt8
        switch byte {
        case 8: letter = UInt8(ascii: "b")
        case 9: letter = UInt8(ascii: "t")
        case 10: letter = UInt8(ascii: "n")
        case 12: letter = UInt8(ascii: "f")
        case 13: letter = UInt8(ascii: "r")
        case 0..<0x20:
            view[place &+ 1] = UInt8(ascii: "u")
            view[place &+ 2] = UInt8(ascii: "0")
            view[place &+ 3] = UInt8(ascii: "0")
            view[place &+ 4] = UInt8(ascii: "0") &+ byte &>> 4
            let low = byte & 0xF
            view[place &+ 5] = low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &+ low &- 10
            return place &+ 6
        default: letter = byte
        }
        view[place &+ 1] = letter
        return place &+ 2
    }

    /// Appends a byte of a string to `text` in its canonical form.
    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case 8: text.append(contentsOf: "\\b".utf8)
        case 9: text.append(contentsOf: "\\t".utf8)
        case 10: text.append(contentsOf: "\\n".utf8)
        case 12: text.append(contentsOf: "\\f".utf8)
        case 13: text.append(contentsOf: "\\r".utf8)
        case 0..<0x20:
            let hexadecimal = Array("0123456789abcdef".utf8)
            text.append(contentsOf: "\\u00".utf8)
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 0xF)])
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        default: text.append(byte)
        }
    }
}
