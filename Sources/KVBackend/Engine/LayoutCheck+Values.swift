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
        unsafe each(.expirations, "expiry") { (key, value) throws(StorageError) in
            times += 1
            let handle = try unsafe number(key)
            guard let bits = unsafe FixedKey.number(value) else { throw .damagedExpiration }
            let id = try unsafe transaction.withID(of: RecordHandle(rawValue: handle)) {
                unsafe $0.map { unsafe Array($0) }
            }
            guard let id else { return problem("expiry", "An expiration belongs to no record") }
            try unsafe FixedKey(time: Int64(bitPattern: bits), handle: handle).withBytes { (key) throws(StorageError) in
                try unsafe transaction.base.withValue(of: key, in: .expiries) { (found) throws(StorageError) in
                    if unsafe found.map({ unsafe Array($0) }) != id {
                        problem("expiry", "The order of expirations does not name a record that has one")
                    }
                }
            }
        }
        var entries = 0
        unsafe each(.expiries, "expiry") { (key, _) throws(StorageError) in
            entries += 1
            if unsafe FixedKey.time(key) == nil { throw .damagedExpiration }
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
