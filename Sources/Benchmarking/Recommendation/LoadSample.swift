/// What one round measured of a candidate.
struct LoadSample {
    /// Microseconds of each operation, by its name.
    var costs: [String: Double] = [:]
    /// Of the files, by document.
    var bytesPerDocument = 0.0
    /// Microseconds of inserting a document among a thousand in one transaction.
    var batchedInsert: Double?
    var peakMemory: UInt64?
    /// A digest of what the database held at the end, where it must be the same for all.
    var digest: String?
}
