import StorageProtocol
import Testing

@testable import SetteeEngine

@Suite struct RetryPauseTests {
    private func pauses(_ code: StorageError.Code, _ count: Int) -> [Duration] {
        var pause = RetryPause()
        return (0..<count).map { _ in pause.next(after: code) }
    }

    @Test(arguments: [StorageError.Code.inUse, .conflict, .full, .busy])
    func whatMayPassIsTriedEveryTwoMinutes(_ code: StorageError.Code) {
        #expect(pauses(code, 9) == [2, 4, 8, 16, 32, 64, 120, 120, 120].map { .seconds($0) })
    }

    @Test(arguments: [StorageError.Code.storage, .corrupt, .unexpected])
    func aFailureOfTheStoreIsTriedEveryHour(_ code: StorageError.Code) {
        let expected = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]
        #expect(pauses(code, 13) == expected.map { .seconds($0) })
    }

    @Test func eachFailureHasItsOwnLimit() {
        var pause = RetryPause()
        for _ in 0..<20 { _ = pause.next(after: .inUse) }
        #expect(pause.next(after: .corrupt) == .seconds(240))
        #expect(pause.next(after: .corrupt) == .seconds(480))
        #expect(pause.next(after: .inUse) == .seconds(120))
        pause.end()
        #expect(pause.next(after: .corrupt) == .seconds(2))
    }
}
