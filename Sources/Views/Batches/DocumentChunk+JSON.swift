internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes

extension DocumentChunk {
    /// Returns a document as a JSON object with its special properties, which come first.
    func json(_ entry: Entry, _ options: BatchOptions) -> [UInt8] {
        withBody(entry) { body in
            var text: [UInt8] = []
            text.reserveCapacity(body.byteCount + entry.id.count + entry.winner.count + 64)
            text += #"{"_id":"#.utf8
            JSONText.append(self.text(entry.id), to: &text)
            text += #","_rev":"#.utf8
            JSONText.append(self.text(entry.winner), to: &text)
            if options.contains(.sequences) { text += #","_local_seq":\#(entry.sequence)"#.utf8 }
            for (number, conflict) in entry.conflicts.enumerated() {
                text += (number == 0 ? #","_conflicts":["# : ",").utf8
                JSONText.append(conflict, to: &text)
            }
            if !entry.conflicts.isEmpty { text.append(UInt8(ascii: "]")) }
            // The stored text is an object without blanks.
            if body.byteCount > 2 { text.append(UInt8(ascii: ",")) }
            unsafe body.extracting(droppingFirst: 1).withUnsafeBytes { unsafe text.append(contentsOf: $0) }
            return text
        }
    }
}
