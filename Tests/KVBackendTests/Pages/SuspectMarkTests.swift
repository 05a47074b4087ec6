import Foundation
import Testing

@testable import SetteeKV

@Suite struct SuspectMarkTests {
    @Test func isSetAndCleared() throws {
        let folder = try PageFolder()
        #expect(!SuspectMark.isSet(in: folder.directory))
        SuspectMark.clear(in: folder.directory)
        SuspectMark.set(in: folder.directory)
        SuspectMark.set(in: folder.directory)
        #expect(SuspectMark.isSet(in: folder.directory))
        #expect(FileManager.default.fileExists(atPath: folder.directory + "/suspect"))
        SuspectMark.clear(in: folder.directory)
        #expect(!SuspectMark.isSet(in: folder.directory))
        // There is no folder for it: nothing happens.
        SuspectMark.set(in: folder.directory + "/none")
        #expect(!SuspectMark.isSet(in: folder.directory + "/none"))
    }
}
