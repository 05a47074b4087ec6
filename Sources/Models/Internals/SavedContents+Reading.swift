internal import SetteeEngine
internal import StorageProtocol

extension SavedContents {
    init(of document: Document) throws(StorageError) {
        self.init()
        guard let current = try document.revision() else { return }
        if current.isDeleted {
            isDeleted = true
        } else {
            properties = try current.properties
            revision = current.id
        }
    }
}
