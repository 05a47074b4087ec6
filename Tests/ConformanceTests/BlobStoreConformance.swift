internal import Foundation
internal import SetteeMemory
internal import SetteeStorageFiles
internal import StorageConformance
internal import Testing

/// Every blob store of the project keeps every promise of its contract.
@Suite
struct BlobStoreConformance {
    static let rows = [
        BlobCase(
            name: "memory",
            damage: { store, _, name in
                try #require(store as? MemoryBlobStore).damage(name, with: [1, 2, 3])
            },
            makeStore: { _ in MemoryBlobStore() }
        ),
        BlobCase(
            name: "files",
            damage: { _, directory, name in
                let path = "\(directory)/\(name.prefix(2))/\(name)"
                let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                try file.seek(toOffset: 50_000)
                let byte = try #require(try file.read(upToCount: 1)?.first)
                try file.seek(toOffset: 50_000)
                try file.write(contentsOf: Data([byte ^ 1]))
                try file.close()
            },
            makeStore: { directory in try FileBlobStore(directory: directory, readOnly: false) }
        ),
    ]

    @Test(arguments: rows, BlobConformance.tests)
    func keepsItsPromises(store: BlobCase, test: BlobConformanceTest) throws {
        try test.run(on: store)
    }
}
