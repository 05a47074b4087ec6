internal import SetteeCouchProtocol
internal import StorageProtocol

/// The entries of a file of users, as they were read.
struct PasswordEntries: Sendable {
    static let longestFile = 4 << 20
    static let most = 10_000

    let byName: [TargetText: PasswordEntry]
    /// The dearest parameters in the file. An unknown name costs as much.
    let dearest: ScryptParameters

    /// Reads lines. Empty ones are skipped.
    ///
    /// - Throws: `badParameter` (495) with the line's number; `tooLarge` (413) for too many.
    init(_ bytes: [UInt8], path: String) throws(StorageError) {
        var byName: [TargetText: PasswordEntry] = [:]
        var dearest = ScryptParameters.least
        for (position, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            guard let entry = PasswordEntry(line: Array(line)) else {
                throw StorageError(
                    .badParameter,
                    "Line \(position + 1) of the users' file '\(path)' is no entry within the limits. Make a new one."
                )
            }
            guard byName.updateValue(entry, forKey: TargetText(entry.name)) == nil else {
                throw StorageError(
                    .badParameter,
                    "Line \(position + 1) of the users' file '\(path)' names a user again. Remove one of the two lines."
                )
            }
            guard byName.count <= PasswordEntries.most else {
                throw StorageError(.tooLarge, "The users' file '\(path)' has more than 10,000 entries. Remove some.")
            }
            if entry.parameters.work > dearest.work { dearest = entry.parameters }
        }
        self.byName = byName
        self.dearest = byName.isEmpty ? .standard : dearest
    }
}
