internal import CPeople

/// The people data of the C baseline: the same bytes from the same seed.
public enum People {
    public static let seed: UInt64 = 42

    /// Person number `index`, from 0, as JSON text.
    public static func json(_ index: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: PERSON_CAPACITY) { buffer, count in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                if let start = text.baseAddress { count = unsafe Int(person_json(start, seed, UInt64(index))) }
            }
        }
    }

    /// The first `count` persons.
    public static func json(count: Int) -> [[UInt8]] { (0..<count).map(json) }

    /// The ordered ID of person `index`: seven digits, from `0000001`.
    public static func id(_ index: Int) -> String {
        let digits = String(index + 1)
        return String(repeating: "0", count: max(0, 7 - digits.utf8.count)) + digits
    }
}
