/// When a store without a dictionary looks whether it has the samples for one, and which documents it samples.
enum DictionarySchedule {
    /// What must have been counted before the first look.
    static let firstLook: UInt64 = 128
    /// Documents with which a dictionary is made even of samples that do not fill it.
    static let patience: UInt64 = 4096
    /// The most documents that a look reads.
    private static let sampleLimit: UInt64 = 512

    /// Whether a count (of sequences, of bodies) that goes from one number to another reaches the next look. There is
    /// one at each power of two, so that all looks together cost no more than a constant for each thing counted.
    static func isDue(from before: UInt64, to now: UInt64) -> Bool {
        now >= firstLook && before.leadingZeroBitCount > now.leadingZeroBitCount
    }

    /// The sequences to sample, from 1 to `last`: however many are taken from the front, they are spread about evenly.
    /// For one that no record has take the next that one has; so a record may come twice.
    static func samples(lastSequence last: UInt64) -> some Sequence<UInt64> {
        let count = min(sampleLimit, last)
        // Steps of the golden section spread best. 317 is odd, so that each place below 512 comes once.
        return (0..<sampleLimit).lazy
            .map { $0 &* 317 % sampleLimit }
            .filter { $0 < count }
            .map { 1 + count.dividingFullWidth($0.multipliedFullWidth(by: last)).quotient }
    }
}
