internal import CSetteeVectors
internal import SetteeSystemLibrary

/// Canonical text, in which values are skipped 16 bytes at a time. Positions are offsets; -1 stands for a text that is
/// damaged, or ends too early.
@safe
struct CanonicalBytes {
    static let damaged = -1

    private let base: UnsafeRawPointer
    private let count: Int

    /// The bytes must not change while this is used, and there is at least one.
    @unsafe
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return nil }
        unsafe base = start
        count = bytes.count
    }

    /// The byte at a position, zero behind the end.
    @inline(__always)
    subscript(position: Int) -> UInt8 {
        guard position < count else { return 0 }
        return unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The eight bytes from a position, the first one highest; zeros behind the end.
    @inline(__always)
    func eight(_ position: Int) -> UInt64 {
        if position &+ 8 <= count {
            return UInt64(bigEndian: unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
        return lastEight(position)
    }

    private func lastEight(_ position: Int) -> UInt64 {
        var eight: UInt64 = 0
        for index in 0..<8 { eight = eight &<< 8 | UInt64(self[position &+ index]) }
        return eight
    }

    /// Whether some bytes are at a position.
    func has(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Bool {
        guard let start = bytes.baseAddress, bytes.count <= count &- position else { return false }
        return unsafe memcmp(base + position, start, bytes.count) == 0
    }

    /// Returns the position behind the value that begins at one.
    @inline(__always)
    func end(ofValueAt position: Int) -> Int {
        switch self[position] {
        case UInt8(ascii: "\""): end(ofStringFrom: position &+ 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["): end(ofContainerFrom: position &+ 1)
        default: end(ofWordAt: position)
        }
    }

    /// Returns the position behind a string whose first character is at a position.
    @inline(__always)
    func end(ofStringFrom start: Int) -> Int {
        var position = start
        while position &+ 16 <= count {
            let marks = unsafe csv_quotes(base + position)
            guard marks != 0 else {
                position &+= 16
                continue
            }
            position &+= marks.trailingZeroBitCount
            if unsafe base.load(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: "\"") { return position &+ 1 }
            position &+= 2
        }
        return end(ofLastStringFrom: position)
    }

    /// The same in the last 16 bytes of the text.
    @inline(never)
    private func end(ofLastStringFrom start: Int) -> Int {
        var position = start
        while position < count {
            switch self[position] {
            case UInt8(ascii: "\""): return position &+ 1
            case UInt8(ascii: "\\"): position &+= 2
            default: position &+= 1
            }
        }
        return CanonicalBytes.damaged
    }

    /// Returns the position behind a number, or what is in its place.
    @inline(__always)
    private func end(ofWordAt start: Int) -> Int {
        var position = start
        while position &+ 16 <= count {
            let ends = unsafe csv_word_ends(base + position)
            position &+= ends == 0 ? 16 : ends.trailingZeroBitCount
            if ends != 0 { return position > start ? position : CanonicalBytes.damaged }
        }
        return end(ofLastWordAt: start, from: position)
    }

    @inline(never)
    private func end(ofLastWordAt start: Int, from next: Int) -> Int {
        var position = next
        while position < count, self[position] != UInt8(ascii: ","), self[position] | 0x20 != UInt8(ascii: "}") {
            position &+= 1
        }
        return position > start ? position : CanonicalBytes.damaged
    }

    /// Returns the position behind the closing bracket of the container that a position is in, outside of strings and
    /// of other containers in it.
    func end(ofContainerFrom start: Int) -> Int {
        var position = start
        var depth = 1
        while position < count {
            if position &+ 16 <= count {
                if unsafe csv_backslashes(base + position) == 0 {
                    let marks = unsafe csv_structure(base + position)
                    // Each bit becomes whether an odd number of quotes is up to it.
                    var quoted = marks
                    quoted ^= quoted &<< 1
                    quoted ^= quoted &<< 2
                    quoted ^= quoted &<< 4
                    quoted ^= quoted &<< 8
                    var brackets = marks &>> 16 & ~quoted
                    while brackets != 0 {
                        let index = position &+ brackets.trailingZeroBitCount
                        depth &+= CanonicalBytes.depthChange(unsafe base.load(fromByteOffset: index, as: UInt8.self))
                        if depth == 0 { return index &+ 1 }
                        brackets &= brackets &- 1
                    }
                    position &+= 16
                    if quoted & 0x8000 != 0 {
                        position = end(ofStringFrom: position)
                        if position < 0 { return position }
                    }
                    continue
                }
            }
            // Escapes, or the end of the text.
            if self[position] == UInt8(ascii: "\"") {
                position = end(ofStringFrom: position &+ 1)
                if position < 0 { return position }
            } else {
                depth &+= CanonicalBytes.depthChange(self[position])
                position &+= 1
                if depth == 0 { return position }
            }
        }
        return CanonicalBytes.damaged
    }

    @inline(__always)
    private static func depthChange(_ byte: UInt8) -> Int {
        switch byte | 0x20 {
        case UInt8(ascii: "{"): 1
        case UInt8(ascii: "}"): -1
        default: 0
        }
    }
}

extension CanonicalBytes {
    /// Returns the range of the value that begins at a position; nil if it does not end.
    func range(ofValueAt start: Int) -> Range<Int>? {
        let end = end(ofValueAt: start)
        return end < 0 ? nil : start..<end
    }

    /// Returns the position of the member or element that a token names, in the container at a position; -1 if there is
    /// none.
    func position(of token: JSONPointer.Token, in start: Int) -> Int {
        switch self[start] {
        case UInt8(ascii: "{"): position(ofMember: token.source, in: start)
        case UInt8(ascii: "["): token.index.map { position(ofElement: $0, in: start) } ?? CanonicalBytes.damaged
        default: CanonicalBytes.damaged
        }
    }

    private func position(ofMember name: [UInt8], in start: Int) -> Int {
        var position = start
        repeat {
            position &+= 1
            guard self[position] == UInt8(ascii: "\"") else { return CanonicalBytes.damaged }
            let first = position &+ 1
            position = end(ofStringFrom: first)
            guard position > 0, self[position] == UInt8(ascii: ":") else { return CanonicalBytes.damaged }
            let length = position &- 1 &- first
            position &+= 1
            if length == name.count, unsafe name.withUnsafeBytes({ unsafe has($0, at: first) }) { return position }
            position = end(ofValueAt: position)
        } while position > 0 && self[position] == UInt8(ascii: ",")
        return CanonicalBytes.damaged
    }

    private func position(ofElement index: Int, in start: Int) -> Int {
        var position = start &+ 1
        if self[position] == UInt8(ascii: "]") { return CanonicalBytes.damaged }
        for _ in 0..<index {
            position = end(ofValueAt: position)
            guard position > 0, self[position] == UInt8(ascii: ",") else { return CanonicalBytes.damaged }
            position &+= 1
        }
        return position
    }
}
