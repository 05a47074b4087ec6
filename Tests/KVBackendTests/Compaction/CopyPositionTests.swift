import Testing

@testable import SetteeKV

@Suite struct CopyPositionTests {
    private func covers(_ place: CopyPosition, _ key: [UInt8], _ table: Table) -> Bool {
        key.withUnsafeBytes { place.covers(LoggedKey($0, in: table)) }
    }

    @Test func coversWhatWasCopiedAndNothingElse() {
        var place = CopyPosition()
        #expect(!covers(place, [0], .meta))
        place.finishTable()
        #expect(covers(place, [0xFF], .meta))
        #expect(!covers(place, [0], .documents))
        [UInt8]([5, 5]).withUnsafeBytes { place.advance(to: $0) }
        #expect(covers(place, [5], .documents))
        #expect(covers(place, [5, 5], .documents))
        #expect(!covers(place, [5, 5, 0], .documents))
        #expect(!covers(place, [6], .documents))
        #expect(!covers(place, [0], .sequences))
        while place.table != nil { place.finishTable() }
        for table in Table.allCases { #expect(covers(place, [0xFF], table)) }
    }
}
