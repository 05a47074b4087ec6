internal import StorageProtocol

extension LayoutCheck {
    func checkHidden() {
        unsafe each(.hidden, "hidden entries") { (key, id) throws(StorageError) in
            highestSequence = max(highestSequence, try unsafe number(key))
            _ = try unsafe DocumentID(stored: id.bytes)
        }
    }

    func checkExpirations() {
        var times = 0
        unsafe eachLong(.expirations, "expiry") { (id, value) throws(StorageError) in
            times += 1
            guard let bits = unsafe FixedKey.number(value) else { throw .damagedExpiration }
            guard try unsafe transaction.withRecord(id, { $0 != nil }) else {
                return problem("expiry", "An expiration belongs to no record")
            }
            try unsafe ExpiryKey.withBytes(Int64(bitPattern: bits), id) { (key) throws(StorageError) in
                try unsafe LongKeyTable(.expiries, in: transaction.base).withValue(of: key) {
                    (found) throws(StorageError) in
                    if unsafe found == nil {
                        problem("expiry", "The order of expirations does not name a record that has one")
                    }
                }
            }
        }
        var entries = 0
        unsafe eachLong(.expiries, "expiry") { (key, _) throws(StorageError) in
            entries += 1
            _ = try unsafe ExpiryKey.parts(key)
        }
        if times != entries { problem("expiry", "\(times) expirations have \(entries) entries in their order") }
    }

    func checkValues() {
        unsafe eachLong(.locals, "local documents") { (id, value) throws(StorageError) in
            _ = try unsafe DocumentID(stored: id.bytes)
            _ = try unsafe LocalValue(value)
        }
        unsafe eachLong(.info, "info") { (key, _) throws(StorageError) in
            if unsafe String(validating: key, as: UTF8.self) == nil { throw .damagedKey }
        }
        unsafe each(.blobs, "blob references") { (key, value) throws(StorageError) in
            _ = try unsafe BlobReference(storedKey: key, value)
        }
    }

    func checkNumbers(live: UInt64) {
        attempt("count") { () throws(StorageError) in
            let numbers = try transaction.storedNumbers()
            if numbers.lastSequence < highestSequence {
                problem("count", "Sequence \(highestSequence) is above \(numbers.lastSequence), the last one counted")
            }
            if numbers.liveDocuments != live {
                problem("count", "\(live) documents are live, \(numbers.liveDocuments) are counted")
            }
        }
    }
}
