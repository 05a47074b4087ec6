internal import CSetteeUnicode
internal import StorageProtocol

/// Sorts strings by ICU's root collation with tertiary strength, using their ICU sort keys.
///
/// A struct without references, because counting them would cost as much as a key. What it points to is never freed:
/// there is one for the life of the process.
///
/// `@unchecked Sendable`: a collator that does not change may be used from many threads at a time (ICU's functions take
/// it as `const`), and it is set up before any other thread can access it.
@safe
struct ICUStrings: @unchecked Sendable {
    /// The instance that all keys are made with.
    static let shared = ICUStrings(usesASCIITable: true)

    /// Makes the same bytes for ASCII text without calling ICU; nil if this could not be verified.
    let table: ASCIISortKeys?
    /// Nil if ICU could not open it.
    private let collator: OpaquePointer?
    private let status: Int32

    init(usesASCIITable: Bool) {
        var status: Int32 = 0
        let opened = unsafe settee_collator_open(&status)
        self.status = status
        unsafe collator = unsafe opened
        guard let collator = unsafe opened else {
            table = nil
            return
        }
        table = usesASCIITable ? ASCIISortKeys { unsafe ICUStrings.sortKey(of: $0, by: collator) } : nil
    }

    /// - Throws: `StorageError` with `unexpected` (500) if ICU could not open its root collation.
    func requireOpen() throws(StorageError) {
        guard unsafe collator == nil else { return }
        throw StorageError(
            .unexpected,
            "ICU could not open its root collation (ICU error \(status)). Install ICU's data."
        )
    }

    /// The versions of ICU and of its collation. Sort keys of different versions must not be compared. Call
    /// `requireOpen` first.
    var version: String {
        func text(_ read: (UnsafeMutablePointer<UInt8>) -> Void) -> String {
            var parts: [UInt8] = [0, 0, 0, 0]
            unsafe parts.withUnsafeMutableBufferPointer { buffer in
                if let base = buffer.baseAddress { unsafe read(base) }
            }
            return parts.map(String.init).joined(separator: ".")
        }
        let library = unsafe text { unsafe settee_icu_version($0) }
        let collation = unsafe text { unsafe settee_collator_version(collator, $0) }
        return "icu-\(library)/ucol-\(collation)"
    }

    /// Returns the sequences that the collator treats as one; nil if ICU does not provide them. Call `requireOpen`
    /// first.
    func contractions() -> [[Unicode.Scalar]]? {
        let needed = unsafe Int(settee_collator_contractions(collator, nil, 0))
        guard needed >= 0 else { return nil }
        let units = unsafe [UInt16](unsafeUninitializedCapacity: needed) { target, count in
            let written = unsafe settee_collator_contractions(collator, target.baseAddress, Int32(clamping: needed))
            count = Int(written) == needed ? needed : 0
        }
        guard units.count == needed else { return nil }
        return units.split(separator: 0).map { Array(String(decoding: $0, as: UTF16.self).unicodeScalars) }
    }

    /// Appends the sort key of a string, which ends with the only 0x00 in it. Call `requireOpen` first.
    func append(_ text: KeyText, of json: RawSpan, to writer: inout KeyWriter) throws(StorageError) {
        if let table, text.isPlain {
            table.append(json.extracting(text.range), to: &writer)
            return
        }
        try unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(1, text.range.count)) {
            (buffer) throws(StorageError) in
            let count = try unsafe text.writeUTF16(of: json, to: buffer)
            let units = unsafe UnsafeBufferPointer(rebasing: buffer[..<count])
            // Most keys need no more than this; a longer one is made again.
            var needed = 3 * count + 16
            var isComplete = false
            while !isComplete {
                let room = needed
                unsafe writer.append(upTo: room) { target in
                    needed = unsafe ICUStrings.sortKey(of: units, by: collator, into: target)
                    isComplete = needed <= room
                    return isComplete ? needed : 0
                }
            }
            guard needed > 0 else { throw StorageError(.unexpected, "ICU made no sort key.") }
        }
    }

    /// Writes the sort key if there is room. - Returns: Its length including the 0x00 at its end; 0 if ICU failed.
    private static func sortKey(
        of units: UnsafeBufferPointer<UInt16>,
        by collator: OpaquePointer?,
        into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        let bytes = unsafe target.bindMemory(to: UInt8.self)
        let length = unsafe settee_collator_sort_key(
            collator,
            units.baseAddress,
            Int32(clamping: units.count),
            bytes.baseAddress,
            Int32(clamping: bytes.count)
        )
        return Int(length)
    }

    private static func sortKey(of text: [UInt8], by collator: OpaquePointer) -> [UInt8] {
        let units = text.map(UInt16.init)
        return unsafe units.withUnsafeBufferPointer { source in
            unsafe [UInt8](unsafeUninitializedCapacity: 8 * text.count + 16) { target, count in
                let length = unsafe sortKey(of: source, by: collator, into: UnsafeMutableRawBufferPointer(target))
                count = length <= target.count ? length : 0
            }
        }
    }
}
