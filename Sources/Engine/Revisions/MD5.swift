/// The MD5 digest (RFC 1321) of a message that comes in pieces, on the stack. A revision is digested for each save, and
/// a general library's contexts on the heap cost more than the digest of a small document.
@safe
struct MD5 {
    private static let blockSize = 64

    private var a: UInt32 = 0x6745_2301
    private var b: UInt32 = 0xEFCD_AB89
    private var c: UInt32 = 0x98BA_DCFE
    private var d: UInt32 = 0x1032_5476
    private var length: UInt64 = 0
    /// The bytes behind the last whole block.
    private var rest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let count = bytes.count
        let filled = Int(length % UInt64(MD5.blockSize))
        length &+= UInt64(count)
        var taken = 0
        if filled > 0 {
            taken = min(count, MD5.blockSize - filled)
            unsafe withUnsafeMutableBytes(of: &rest) { rest in
                unsafe (rest.baseAddress! + filled).copyMemory(from: base, byteCount: taken)
            }
            guard filled + taken == MD5.blockSize else { return }
            takeRest()
        }
        while count - taken >= MD5.blockSize {
            unsafe take(base + taken)
            taken += MD5.blockSize
        }
        if taken < count {
            unsafe withUnsafeMutableBytes(of: &rest) { rest in
                unsafe rest.baseAddress!.copyMemory(from: base + taken, byteCount: count - taken)
            }
        }
    }

    /// Ends the message, and returns the digest's bytes as two big-endian numbers.
    consuming func finalize() -> (high: UInt64, low: UInt64) {
        let bits = length &* 8
        let filled = Int(length % UInt64(MD5.blockSize))
        pad(from: filled)
        if filled >= MD5.blockSize - 8 {
            takeRest()
            rest = (0, 0, 0, 0, 0, 0, 0, 0)
        }
        rest.7 = bits.littleEndian
        takeRest()
        return (
            UInt64(a.byteSwapped) << 32 | UInt64(b.byteSwapped), UInt64(c.byteSwapped) << 32 | UInt64(d.byteSwapped)
        )
    }

    /// Puts a one bit and zeros behind the last byte.
    private mutating func pad(from filled: Int) {
        unsafe withUnsafeMutableBytes(of: &rest) { rest in
            unsafe rest[filled] = 0x80
            for index in filled + 1..<MD5.blockSize { unsafe rest[index] = 0 }
        }
    }

    private mutating func takeRest() {
        let block = rest
        unsafe withUnsafeBytes(of: block) { unsafe take($0.baseAddress!) }
    }
}

extension MD5 {
    /// Adds the 64 bytes at `block`.
    private mutating func take(_ block: UnsafeRawPointer) {
        @inline(__always)
        func word(_ index: Int) -> UInt32 {
            UInt32(littleEndian: unsafe block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
        }
        var (a, b, c, d) = (self.a, self.b, self.c, self.d)
        // Round 1.
        a = f(a, b, c, d, word(0), 7, 0xD76A_A478)
        d = f(d, a, b, c, word(1), 12, 0xE8C7_B756)
        c = f(c, d, a, b, word(2), 17, 0x2420_70DB)
        b = f(b, c, d, a, word(3), 22, 0xC1BD_CEEE)
        a = f(a, b, c, d, word(4), 7, 0xF57C_0FAF)
        d = f(d, a, b, c, word(5), 12, 0x4787_C62A)
        c = f(c, d, a, b, word(6), 17, 0xA830_4613)
        b = f(b, c, d, a, word(7), 22, 0xFD46_9501)
        a = f(a, b, c, d, word(8), 7, 0x6980_98D8)
        d = f(d, a, b, c, word(9), 12, 0x8B44_F7AF)
        c = f(c, d, a, b, word(10), 17, 0xFFFF_5BB1)
        b = f(b, c, d, a, word(11), 22, 0x895C_D7BE)
        a = f(a, b, c, d, word(12), 7, 0x6B90_1122)
        d = f(d, a, b, c, word(13), 12, 0xFD98_7193)
        c = f(c, d, a, b, word(14), 17, 0xA679_438E)
        b = f(b, c, d, a, word(15), 22, 0x49B4_0821)
        // Round 2.
        a = g(a, b, c, d, word(1), 5, 0xF61E_2562)
        d = g(d, a, b, c, word(6), 9, 0xC040_B340)
        c = g(c, d, a, b, word(11), 14, 0x265E_5A51)
        b = g(b, c, d, a, word(0), 20, 0xE9B6_C7AA)
        a = g(a, b, c, d, word(5), 5, 0xD62F_105D)
        d = g(d, a, b, c, word(10), 9, 0x0244_1453)
        c = g(c, d, a, b, word(15), 14, 0xD8A1_E681)
        b = g(b, c, d, a, word(4), 20, 0xE7D3_FBC8)
        a = g(a, b, c, d, word(9), 5, 0x21E1_CDE6)
        d = g(d, a, b, c, word(14), 9, 0xC337_07D6)
        c = g(c, d, a, b, word(3), 14, 0xF4D5_0D87)
        b = g(b, c, d, a, word(8), 20, 0x455A_14ED)
        a = g(a, b, c, d, word(13), 5, 0xA9E3_E905)
        d = g(d, a, b, c, word(2), 9, 0xFCEF_A3F8)
        c = g(c, d, a, b, word(7), 14, 0x676F_02D9)
        b = g(b, c, d, a, word(12), 20, 0x8D2A_4C8A)
        // Round 3.
        a = h(a, b, c, d, word(5), 4, 0xFFFA_3942)
        d = h(d, a, b, c, word(8), 11, 0x8771_F681)
        c = h(c, d, a, b, word(11), 16, 0x6D9D_6122)
        b = h(b, c, d, a, word(14), 23, 0xFDE5_380C)
        a = h(a, b, c, d, word(1), 4, 0xA4BE_EA44)
        d = h(d, a, b, c, word(4), 11, 0x4BDE_CFA9)
        c = h(c, d, a, b, word(7), 16, 0xF6BB_4B60)
        b = h(b, c, d, a, word(10), 23, 0xBEBF_BC70)
        a = h(a, b, c, d, word(13), 4, 0x289B_7EC6)
        d = h(d, a, b, c, word(0), 11, 0xEAA1_27FA)
        c = h(c, d, a, b, word(3), 16, 0xD4EF_3085)
        b = h(b, c, d, a, word(6), 23, 0x0488_1D05)
        a = h(a, b, c, d, word(9), 4, 0xD9D4_D039)
        d = h(d, a, b, c, word(12), 11, 0xE6DB_99E5)
        c = h(c, d, a, b, word(15), 16, 0x1FA2_7CF8)
        b = h(b, c, d, a, word(2), 23, 0xC4AC_5665)
        // Round 4.
        a = i(a, b, c, d, word(0), 6, 0xF429_2244)
        d = i(d, a, b, c, word(7), 10, 0x432A_FF97)
        c = i(c, d, a, b, word(14), 15, 0xAB94_23A7)
        b = i(b, c, d, a, word(5), 21, 0xFC93_A039)
        a = i(a, b, c, d, word(12), 6, 0x655B_59C3)
        d = i(d, a, b, c, word(3), 10, 0x8F0C_CC92)
        c = i(c, d, a, b, word(10), 15, 0xFFEF_F47D)
        b = i(b, c, d, a, word(1), 21, 0x8584_5DD1)
        a = i(a, b, c, d, word(8), 6, 0x6FA8_7E4F)
        d = i(d, a, b, c, word(15), 10, 0xFE2C_E6E0)
        c = i(c, d, a, b, word(6), 15, 0xA301_4314)
        b = i(b, c, d, a, word(13), 21, 0x4E08_11A1)
        a = i(a, b, c, d, word(4), 6, 0xF753_7E82)
        d = i(d, a, b, c, word(11), 10, 0xBD3A_F235)
        c = i(c, d, a, b, word(2), 15, 0x2AD7_D2BB)
        b = i(b, c, d, a, word(9), 21, 0xEB86_D391)
        self.a &+= a
        self.b &+= b
        self.c &+= c
        self.d &+= d
    }

    // The four kinds of steps. What does not depend on the last step comes first, so that it need not wait for it.

    @inline(__always)
    private func f(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: UInt32,
        _ word: UInt32,
        _ shift: UInt32,
        _ constant: UInt32
    ) -> UInt32 {
        b &+ rotate(a &+ constant &+ word &+ (d ^ (b & (c ^ d))), shift)
    }

    @inline(__always)
    private func g(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: UInt32,
        _ word: UInt32,
        _ shift: UInt32,
        _ constant: UInt32
    ) -> UInt32 {
        b &+ rotate(a &+ constant &+ word &+ (c & ~d) &+ (b & d), shift)
    }

    @inline(__always)
    private func h(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: UInt32,
        _ word: UInt32,
        _ shift: UInt32,
        _ constant: UInt32
    ) -> UInt32 {
        b &+ rotate(a &+ constant &+ word &+ (b ^ (c ^ d)), shift)
    }

    @inline(__always)
    private func i(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: UInt32,
        _ word: UInt32,
        _ shift: UInt32,
        _ constant: UInt32
    ) -> UInt32 {
        b &+ rotate(a &+ constant &+ word &+ (c ^ (b | ~d)), shift)
    }

    @inline(__always)
    private func rotate(_ value: UInt32, _ shift: UInt32) -> UInt32 {
        value &<< shift | value &>> (32 &- shift)
    }
}
