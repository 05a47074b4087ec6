internal import CSetteeStorageFiles
internal import StorageProtocol

/// One page of a file, shared with other processes. Words of 8 bytes are read and written atomically.
///
/// The file's 4096 bytes are written before they are mapped, so that no later store needs disk space.
// @unchecked: the pointer never changes, and all access through it is atomic (csf_load, csf_store).
@safe
final class SharedPage: @unchecked Sendable {
    static let size = 4096
    private let page: UnsafeMutableRawPointer

    init(_ file: borrowing Descriptor, _ path: String) throws(StorageError) {
        var failure: Int32 = 0
        guard let page = unsafe csf_map(file.raw, &failure) else {
            try check(-failure, .writing("map"), path)
            throw StorageError(.unexpected, "Cannot map '\(path)'.")
        }
        unsafe self.page = page
    }

    deinit { unsafe csf_unmap(page) }

    subscript(word: Int) -> UInt64 {
        get { unsafe csf_load(page, word * 8) }
        set { unsafe csf_store(page, word * 8, newValue) }
    }
}
