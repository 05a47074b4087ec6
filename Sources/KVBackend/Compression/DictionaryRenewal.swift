internal import StorageProtocol

/// Decides whether a dictionary of current documents is better than the existing one. Half of the samples make the new
/// one, and both are tried on the other half. Takes at most twice the length of a dictionary.
struct DictionaryRenewal {
    private var training = DictionarySamples()
    private var trial = DictionarySamples()
    private var trialLengths: [Int] = []
    private var trainsNext = true

    /// Whether another sample would change nothing.
    var isFull: Bool { training.isFull && trial.isFull }

    /// Adds the JSON of a document; see `DictionarySchedule.samples`.
    mutating func add(_ json: UnsafeRawBufferPointer) {
        if (trainsNext && !training.isFull) || trial.isFull {
            unsafe training.add(json)
        } else {
            let before = trial.bytes.count
            unsafe trial.add(json)
            trialLengths.append(trial.bytes.count - before)
        }
        trainsNext.toggle()
    }

    /// Returns the next version, if it makes the test documents at least 3 % shorter than `present` does.
    func dictionary(after present: CompressionDictionary?) -> CompressionDictionary? {
        let version = (present?.version ?? 0).addingReportingOverflow(1)
        guard training.suffice(liveDocuments: DictionarySchedule.patience), !version.overflow else { return nil }
        let candidate = training.dictionary(version: version.partialValue)
        let (old, new) = (trialLength(with: present), trialLength(with: candidate))
        return new * 100 < old * 97 ? candidate : nil
    }

    private func trialLength(with dictionary: CompressionDictionary?) -> Int {
        let encoder = BodyEncoder()
        return unsafe trial.bytes.withUnsafeBytes { bytes in
            var (offset, total) = (0, 0)
            for length in trialLengths {
                let json = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
                total += unsafe encoder.encode(json, with: dictionary).length
                offset += length
            }
            return total
        }
    }
}
