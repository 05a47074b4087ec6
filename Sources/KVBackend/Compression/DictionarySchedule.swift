/// When a store without a dictionary checks whether it has enough samples for one, and which documents it samples.
enum DictionarySchedule {
    /// The count before the first check.
    static let firstLook: UInt64 = 128
    /// With this many documents, a dictionary is made even from samples that do not fill it.
    static let patience: UInt64 = 4096
    /// The maximum number of documents read by a check.
    private static let sampleLimit: UInt64 = 512

    /// Whether a count (of sequences or bodies) that changes from one number to another reaches the next check. There
    /// is one at each power of two, so that all checks together add only a constant cost for each thing counted.
    static func isDue(from before: UInt64, to now: UInt64) -> Bool {
        now >= firstLook && before.leadingZeroBitCount > now.leadingZeroBitCount
    }

    /// Returns the sequences to sample, from 1 to `last`. However many are taken from the front, they are spread about
    /// evenly. If no record has one, take the next one that a record has; so a record may come twice.
    static func samples(lastSequence last: UInt64) -> some Sequence<UInt64> {
        let count = min(sampleLimit, last)
        // Steps of the golden ratio spread best. 317 is odd, so that each number below 512 comes once.
        return (0..<sampleLimit).lazy
            .map { $0 &* 317 % sampleLimit }
            .filter { $0 < count }
            .map { 1 + count.dividingFullWidth($0.multipliedFullWidth(by: last)).quotient }
    }
}
