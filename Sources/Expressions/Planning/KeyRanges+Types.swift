internal import SetteeDocumentValues
internal import StorageProtocol

extension KeyRanges {
    /// The keys of all values of some kinds.
    init(kinds: [ValueKind], isRaw: Bool) {
        let tags = Operand.collator(isRaw).tags
        self = KeyRanges.union(of: kinds.map { KeyRanges(kind: $0, tags) })
    }

    private init(kind: ValueKind, _ tags: KeyTags) {
        switch kind {
        case .null: self.init(beginning: [tags.null])
        case .false: self.init(beginning: [tags.false])
        case .true: self.init(beginning: [tags.true])
        case .number: self.init(from: .before([KeyTags.numbers.lowerBound]), to: .behind([KeyTags.numbers.upperBound]))
        case .string: self.init(beginning: [tags.string])
        case .array: self.init(beginning: [tags.array])
        case .object: self.init(beginning: [tags.object])
        }
    }

    /// The key of the array without elements.
    static func emptyArray(_ isRaw: Bool) -> [UInt8] { [Operand.collator(isRaw).tags.array, 0] }

    /// The keys of all arrays whose first elements have their keys in some ranges: arrays are compared element by
    /// element. The empty array is not among them.
    init(arraysWithFirst elements: KeyRanges, isRaw: Bool) {
        let tag = Operand.collator(isRaw).tags.array
        self.init(
            unitingIntervals: elements.intervals.map { interval in
                Interval(
                    lower: interval.lower == .first ? .behind(KeyRanges.emptyArray(isRaw)) : interval.lower.behind(tag),
                    upper: interval.upper == .last ? .behind([tag]) : interval.upper.behind(tag)
                )
            }
        )
    }

    /// The keys of all strings that begin with a text. Those of other strings may lie between them: the collation does
    /// not order strings by their bytes.
    init(stringsWith prefix: String, isRaw: Bool) {
        // A string that is too long for a key is compared by its beginning, which must contain the prefix.
        let beginning = String(String.UnicodeScalarView(prefix.unicodeScalars.prefix(KeyRanges.prefixLength)))
        do throws(StorageError) {
            self.init(beginning: try Operand.collator(isRaw).keyPrefix(ofStringsWith: beginning))
        } catch {
            self.init(kinds: [.string], isRaw: isRaw)
        }
    }

    private static let prefixLength = 1024
}
