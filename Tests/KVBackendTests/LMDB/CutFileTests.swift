internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Reading what is missing from the map ended the process with SIGBUS, and with it every other database.
@Suite struct CutFileTests {
    /// How much of the file is left.
    @Test(arguments: [0, 4096, 40_000])
    func isAnErrorOfThatFile(_ bytes: Int) throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for number in 0..<500 { try now.put("key\(number)", [UInt8](repeating: 1, count: 500)) }
        }
        #expect(try store.read { (now) throws(StorageError) in try now.keys() }.count == 500)
        #expect(try folder.dataSize() > 100_000)
        #expect(truncate(folder.dataFile, off_t(bytes)) == 0)
        for _ in 0..<2 {
            #expect(code { _ = try store.beginRead() } == .corrupt)
            #expect(code { _ = try store.beginWrite() } == .corrupt)
        }
        store.close()
        #expect(code { _ = try folder.open(StorageOptions()) } != nil, "opening finds it too")
    }

    /// A file that another process enlarges, or this one, is no shorter one.
    @Test func growingIsNone() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<100 {
                #expect(throws: Never.self) {
                    if thread == 0 {
                        try store.write { (now) throws(StorageError) in
                            try now.put("key\(number)", [UInt8](repeating: 1, count: 20_000))
                        }
                    } else {
                        _ = try store.read { (now) throws(StorageError) in try now.keys() }
                    }
                }
            }
        }
        store.close()
    }
}
