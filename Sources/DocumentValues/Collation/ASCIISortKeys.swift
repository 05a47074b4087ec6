/// Makes ICU sort keys of ASCII text from a table, several times as fast as ICU and with the same bytes.
///
/// Each ASCII character has one collation element in the root collation (or none, if it is a control character): a
/// primary weight of one to three bytes, the common secondary weight, and a tertiary weight that is common or one byte.
/// The weights are extracted from ICU's own keys of single characters and pairs, and combined in ICU's sort key format
/// (`collationkeys.cpp`). Neither is trusted: the table is only used if it makes the same bytes as ICU for every pair
/// of characters and for long texts.
///
/// `@unchecked Sendable`: the tables never change, and are only freed by `init?`.
@safe
struct ASCIISortKeys: @unchecked Sendable {
    /// For each character: the primary's bytes from the lowest byte of the word, then `Bits`.
    private let elements: UnsafeMutablePointer<UInt32>
    /// For each character: the tertiary weight's byte, 0 for the common one.
    private let tertiaries: UnsafeMutablePointer<UInt8>

    private enum Bits {
        /// The number of bytes of the primary, starting at this bit; 0: the character is ignored.
        static let lengthShift: UInt32 = 24
        static let lengthMask: UInt32 = 3
        /// A primary with the same lead byte as the previous one is written without it.
        static let compressible: UInt32 = 1 << 27
        static let tertiary: UInt32 = 1 << 28
    }

    /// ICU's sort key format.
    private enum Format {
        static let separator: UInt8 = 0x01
        static let common: UInt8 = 0x05
        /// End a run of primaries that share their lead byte, before a lower or a higher one.
        static let lowTerminator: UInt8 = 0x03
        static let highTerminator: UInt8 = 0xFF
        /// A run of common weights is written as full runs and a rest. `high` is the byte from which a rest counts
        /// down, before a weight above the common one.
        static let secondaryRun = 33
        static let secondaryFull: UInt8 = 0x25
        static let tertiaryRun = 97
        static let tertiaryFull: UInt8 = 0x65
        static let tertiaryHigh: UInt8 = 0xC5
    }

    /// - Parameter sortKey: ICU's key of an ASCII text, including the 0x00 at its end.
    /// - Returns: Nil if ICU's keys do not have the form described.
    init?(sortKey: ([UInt8]) -> [UInt8]) {
        unsafe elements = .allocate(capacity: 128)
        unsafe tertiaries = .allocate(capacity: 128)
        for character in 0..<128 {
            guard let element = Self.element(of: UInt8(character), sortKey) else {
                free()
                return nil
            }
            unsafe elements[character] = element.word
            unsafe tertiaries[character] = element.tertiary
        }
        guard Self.probes().allSatisfy({ key(of: $0) == sortKey($0) }) else {
            free()
            return nil
        }
    }

    private func free() {
        unsafe elements.deallocate()
        unsafe tertiaries.deallocate()
    }

    private static func element(
        of character: UInt8,
        _ sortKey: ([UInt8]) -> [UInt8]
    ) -> (word: UInt32, tertiary: UInt8)? {
        let key = sortKey([character])
        if key == [Format.separator, Format.separator, 0] { return (0, 0) }
        let levels = key.dropLast().split(separator: Format.separator, omittingEmptySubsequences: false)
        guard levels.count == 3, 1...3 ~= levels[0].count, levels[1] == [Format.common], levels[2].count == 1,
            let tertiary = levels[2].first
        else { return nil }
        let isCommon = tertiary == Format.common
        guard isCommon || tertiary > Format.tertiaryHigh else { return nil }

        var word = UInt32(levels[0].count) << Bits.lengthShift
        for (index, byte) in levels[0].enumerated() { word |= UInt32(byte) << UInt32(8 * index) }
        let pair = sortKey([character, character]).prefix { $0 != Format.separator }
        if pair.count == 2 * levels[0].count - 1 { word |= Bits.compressible }
        if !isCommon { word |= Bits.tertiary }
        return (word, isCommon ? 0 : tertiary)
    }

    /// Returns texts that contain every pair of characters, and runs of equal weights of every length that matters.
    private static func probes() -> [[UInt8]] {
        var texts: [[UInt8]] = [[]]
        for first in UInt8(0)..<128 { texts.append((UInt8(0)..<128).flatMap { [first, $0] }) }
        for length in [1, 2, 32, 33, 34, 35, 65, 66, 67, 68, 96, 97, 98, 99, 193, 194, 195, 196, 400] {
            let run = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            texts += [run, run + Array("B".utf8), Array("-".utf8) + run + Array("Cd_e".utf8)]
        }
        return texts
    }

    private func key(of text: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { scratch in
            var writer = unsafe KeyWriter(scratch: scratch)
            unsafe append(text.span.bytes, to: &writer)
            writer.append(to: &key)
        }
        return key
    }

    /// Appends the sort key of ASCII text, including the 0x00 at its end.
    func append(_ text: RawSpan, to writer: inout KeyWriter) {
        // A character has up to three primary bytes preceded by a terminator, and two bytes of tertiary weights. Runs
        // of common weights are shorter than their characters.
        unsafe writer.append(upTo: 7 * text.byteCount + 16) { target in
            unsafe text.withUnsafeBytes { source in
                unsafe write(source, to: target)
            }
        }
    }

    private func write(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var weights = 0
        var seen: UInt32 = 0
        var openLead: UInt8 = 0
        for index in 0..<text.count {
            let character = unsafe Int(text[index] & 0x7F)
            let element = unsafe elements[character]
            let length = Int(element >> Bits.lengthShift & Bits.lengthMask)
            if length == 0 { continue }
            weights += 1
            seen |= element
            let lead = UInt8(truncatingIfNeeded: element)
            if element & Bits.compressible == 0 || lead != openLead {
                if openLead != 0 {
                    unsafe target[count] = lead < openLead ? Format.lowTerminator : Format.highTerminator
                    count += 1
                }
                unsafe target[count] = lead
                count += 1
                openLead = element & Bits.compressible == 0 ? 0 : lead
            }
            if length > 1 {
                unsafe target[count] = UInt8(truncatingIfNeeded: element >> 8)
                count += 1
                if length > 2 {
                    unsafe target[count] = UInt8(truncatingIfNeeded: element >> 16)
                    count += 1
                }
            }
        }
        unsafe target[count] = Format.separator
        count += 1
        unsafe Self.writeCommon(weights, Format.secondaryRun, Format.secondaryFull, to: target, &count)
        unsafe target[count] = Format.separator
        count += 1
        if seen & Bits.tertiary == 0 {
            unsafe Self.writeCommon(weights, Format.tertiaryRun, Format.tertiaryFull, to: target, &count)
        } else {
            unsafe writeTertiaries(of: text, to: target, &count)
        }
        unsafe target[count] = 0
        return count + 1
    }

    private func writeTertiaries(
        of text: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawBufferPointer,
        _ count: inout Int
    ) {
        var commons = 0
        for index in 0..<text.count {
            let character = unsafe Int(text[index] & 0x7F)
            let element = unsafe elements[character]
            if element == 0 { continue }
            if element & Bits.tertiary == 0 {
                commons += 1
                continue
            }
            if commons > 0 {
                let (full, rest) = (commons - 1).quotientAndRemainder(dividingBy: Format.tertiaryRun)
                unsafe Self.write(Format.tertiaryFull, times: full, to: target, &count)
                unsafe target[count] = Format.tertiaryHigh - UInt8(truncatingIfNeeded: rest)
                count += 1
                commons = 0
            }
            unsafe target[count] = tertiaries[character]
            count += 1
        }
        unsafe Self.writeCommon(commons, Format.tertiaryRun, Format.tertiaryFull, to: target, &count)
    }

    /// Writes a run of common weights that ends its level.
    private static func writeCommon(
        _ number: Int,
        _ run: Int,
        _ fullRun: UInt8,
        to target: UnsafeMutableRawBufferPointer,
        _ count: inout Int
    ) {
        if number == 0 { return }
        let (full, rest) = (number - 1).quotientAndRemainder(dividingBy: run)
        unsafe write(fullRun, times: full, to: target, &count)
        unsafe target[count] = Format.common + UInt8(truncatingIfNeeded: rest)
        count += 1
    }

    private static func write(
        _ byte: UInt8,
        times: Int,
        to target: UnsafeMutableRawBufferPointer,
        _ count: inout Int
    ) {
        for _ in 0..<times {
            unsafe target[count] = byte
            count += 1
        }
    }
}
