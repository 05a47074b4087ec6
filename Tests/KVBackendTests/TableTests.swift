import Testing

@testable import SetteeKV

/// The names that are stored in files.
@Suite struct TableTests {
    @Test func namesAreUnique() {
        #expect(Set(Table.allCases.map(\.name)).count == Table.allCases.count)
    }
}
