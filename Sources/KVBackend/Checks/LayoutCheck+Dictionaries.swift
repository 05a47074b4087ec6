internal import StorageProtocol

extension LayoutCheck {
    /// Checks that every compression dictionary can be used.
    func checkDictionaries() {
        unsafe each(.dictionaries, "dictionary") { (key, value) throws(StorageError) in
            guard let version = unsafe TransactionDictionaries<Store.Transaction>.version(key) else {
                throw .damagedKey
            }
            _ = try unsafe CompressionDictionary(version: version, stored: value)
        }
    }
}
