/// A single changed word that explains why a frame's checksum is wrong.
///
/// The checksum is linear in the words of a frame: a change of one word by *d* changes it by a multiple of *d* that
/// depends only on the word's place. So each place can be tried by undoing one step of the sum after the other, and a
/// match by chance has a probability of about 1 : 4,000,000. What a kill leaves half written, or what a later
/// transaction has half overwritten, differs in many words. https://www.sqlite.org/fileformat2.html#checksum_algorithm
struct FrameChange {
    /// The index of the word among those that the checksum covers: the page's number, the size after the commit, the
    /// page. Nil if it is a word of the checksum itself.
    let word: Int?
    /// What must be added to the word to restore it.
    let difference: UInt32

    /// Nil if one word does not explain it.
    ///
    /// - Parameters:
    ///   - computed: The checksum of the frame as it is.
    ///   - stored: The checksum in the frame's head.
    ///   - length: The number of bytes that the checksum covers.
    init?(computed: LogSum, stored: LogSum, length: Int) {
        var (first, second) = (stored.first &- computed.first, stored.second &- computed.second)
        if second == 0 {
            self.init(word: nil, difference: 0 &- first)
            return
        }
        for pair in stride(from: length / 8 - 1, through: 0, by: -1) {
            // A first word is added to both sums, a second one to the second sum alone.
            if first == second {
                self.init(word: 2 * pair, difference: first)
                return
            }
            if first == 0 {
                self.init(word: 2 * pair + 1, difference: second)
                return
            }
            (first, second) = (2 &* first &- second, second &- first)
        }
        return nil
    }

    private init(word: Int?, difference: UInt32) {
        self.word = word
        self.difference = difference
    }
}
