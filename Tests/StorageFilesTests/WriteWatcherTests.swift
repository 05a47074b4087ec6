#if os(Linux)
import Dispatch
import Foundation
import SetteeStorageFiles
import Synchronization
import Testing

@Suite("Writes of a folder's files")
struct WriteWatcherTests {
    private let written = Count()
    private let watcher: WriteWatcher
    private let home: TemporaryFolder

    init() throws {
        let written = written
        home = try TemporaryFolder()
        watcher = try #require(WriteWatcher(on: DispatchQueue(label: "test")) { written.add() })
        try write("before", to: home.path + "/file")
    }

    @Test func aWriteIsToldOnceUntilItIsArmedAgain() throws {
        #expect(watcher.arm(home.path))
        #expect(try Data(contentsOf: URL(filePath: home.path + "/file")) == Data("before".utf8))
        #expect(written.after(.milliseconds(50)) == 0, "reading is no write")
        for _ in 0..<20 { try append("x") }
        #expect(written.reaches(1))
        for _ in 0..<20 { try append("x") }
        #expect(written.after(.milliseconds(50)) == 1)
        watcher.arm(home.path)
        try append("x")
        #expect(written.reaches(2))
    }

    @Test func aFolderIsWatchedOnce() throws {
        for _ in 0..<5 { #expect(watcher.arm(home.path)) }
        try append("x")
        #expect(written.reaches(1))
        try append("x")
        #expect(written.after(.milliseconds(50)) == 1)
    }

    @Test func whatIsNotAFolderIsNotWatched() throws {
        #expect(!watcher.arm(home.path + "/file"))
        #expect(!watcher.arm(home.path + "/missing"))
        try FileManager.default.createSymbolicLink(atPath: home.path + "/link", withDestinationPath: home.path)
        #expect(!watcher.arm(home.path + "/link"))
        try append("x")
        #expect(written.after(.milliseconds(50)) == 0)
    }

    private func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: home.path + "/file"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}

private final class Count: Sendable {
    private let count = Atomic(0)

    func add() { count.add(1, ordering: .relaxed) }

    func after(_ time: Duration) -> Int {
        Thread.sleep(forTimeInterval: time / .seconds(1))
        return count.load(ordering: .relaxed)
    }

    func reaches(_ wanted: Int) -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while count.load(ordering: .relaxed) < wanted, .now < end { Thread.sleep(forTimeInterval: 0.002) }
        return count.load(ordering: .relaxed) == wanted
    }
}
#endif
