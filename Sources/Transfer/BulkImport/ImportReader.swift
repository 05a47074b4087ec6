internal import Dispatch
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Synchronization

/// Splits a stream into documents and parses them on its own threads, ahead of the thread that saves them. Batches are
/// returned in the order of the stream. Only a few are held at a time.
final class ImportReader: Sendable {
    /// Documents that are saved in one transaction.
    struct Batch: Sendable {
        var documents: [Result<ImportedDocument, ImportFailure>] = []
        /// Bytes of the documents' text, attachments included.
        var length = 0
        /// Bytes of the stream up to the end of the batch.
        var consumed = 0
        /// Why the stream cannot be read any further; no batch follows.
        var fault: StorageError?
        var isLast = false
    }

    /// The input; used by one thread at a time.
    private struct Stream: ~Copyable {
        var splitter: JSONElementSplitter
        var chunk: ImportChunks
        var consumed = 0
        var isFinished = false
        var nextNumber = 0
        var isEnded = false
    }

    private let options: ImportOptions
    private let stream: Locked<Stream>
    private let ready = Locked<[Int: Batch]>([:])
    private let isCancelled = Atomic<Bool>(false)
    // Created at zero and then signalled, because a semaphore must not be below its initial value when it is released.
    private let permits = DispatchSemaphore(value: 0)
    private let arrivals = DispatchSemaphore(value: 0)
    private let workers: Int

    init(
        _ options: ImportOptions,
        workers: Int,
        chunk: @escaping ImportChunks
    ) {
        self.options = options
        self.workers = workers
        stream = Locked(
            Stream(splitter: JSONElementSplitter(layout: options.layout, at: options.pointer), chunk: chunk)
        )
    }

    /// Begins to read. The caller must call `cancel` when it needs no more batches.
    func start() {
        let queue = DispatchQueue(label: "settee.import", attributes: .concurrent)
        for _ in 0..<workers + 2 { permits.signal() }
        for _ in 0..<workers { queue.async { self.work() } }
    }

    /// Ends the reading threads, each after its current read.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        for _ in 0..<workers { permits.signal() }
    }

    /// Waits for the batch with a number, counted from 0.
    ///
    /// - Parameter deadline: When to return nil if it has not arrived.
    func batch(_ number: Int, until deadline: DispatchTime) -> Batch? {
        while true {
            if let batch = ready.withLock({ $0.removeValue(forKey: number) }) { return batch }
            guard arrivals.wait(timeout: deadline) == .success else {
                return ready.withLock { $0.removeValue(forKey: number) }
            }
        }
    }

    /// Lets another batch be read after one was taken.
    func release() { permits.signal() }

    private func work() {
        var parser = JSONParser()
        while true {
            permits.wait()
            if isCancelled.load(ordering: .relaxed) { return }
            guard let (number, elements, rest) = cut() else { return }
            var batch = rest
            batch.documents.reserveCapacity(elements.count)
            for element in elements {
                if let document = read(element, with: &parser) { batch.documents.append(document) }
            }
            ready.withLock { $0[number] = batch }
            arrivals.signal()
            if batch.isLast { return }
        }
    }

    /// - Returns: Nil if the element is no document, and need not be one.
    private func read(
        _ element: JSONElementSplitter.Element,
        with parser: inout JSONParser
    ) -> Result<ImportedDocument, ImportFailure>? {
        do throws(StorageError) {
            return try ImportedDocument(element, options, with: &parser).map { .success($0) }
        } catch {
            return .failure(ImportFailure(line: element.line, offset: element.offset, id: element.name, error: error))
        }
    }

    /// Takes the next documents from the stream, nil after its end.
    private func cut() -> (number: Int, elements: [JSONElementSplitter.Element], batch: Batch)? {
        stream.withLock { stream in
            guard !stream.isEnded else { return nil }
            var elements: [JSONElementSplitter.Element] = []
            var batch = Batch()
            do throws(StorageError) {
                batch.isLast = try ImportReader.fill(&elements, from: &stream, options.batchCount)
            } catch {
                batch.fault = error
                batch.isLast = true
            }
            batch.length = elements.reduce(0) { $0 + $1.text.count }
            batch.consumed = stream.consumed
            stream.isEnded = batch.isLast
            let number = stream.nextNumber
            stream.nextNumber += 1
            return (number, elements, batch)
        }
    }

    /// - Returns: Whether the stream is at its end.
    private static func fill(
        _ elements: inout [JSONElementSplitter.Element],
        from stream: inout Stream,
        _ count: Int
    ) throws(StorageError) -> Bool {
        var length = 0
        while elements.count < count, length < ImportOptions.batchLength {
            if let element = try stream.splitter.next() {
                length += element.text.count
                elements.append(element)
            } else if stream.isFinished {
                return true
            } else if let chunk = try stream.chunk() {
                stream.consumed += chunk.count
                stream.splitter.append(chunk)
            } else {
                stream.isFinished = true
                stream.splitter.finish()
            }
        }
        return false
    }
}

extension ImportFailure: Error {}
