internal import StorageProtocol

/// Batches of a bulk import that are saved together.
///
/// A batch of 1,000 documents whose IDs come in no order changes nearly 1,000 pages of a large store. So such batches
/// are gathered and saved in the order of their IDs: documents that belong on one page are written together. A batch
/// with ascending IDs above those of the batch before is saved at once.
struct GatheredBatch {
    private var batch = ImportReader.Batch()
    private var length = 0
    private var isOrdered = true
    /// The last ID of the latest batch.
    private var last: DocumentID?
    /// When the first of the batches was added.
    private var begin = ContinuousClock.now

    /// What a document takes besides its text.
    private static let documentLength = 400
    /// A text that arrives slowly is saved at least this often.
    private static let longest = Duration.seconds(10)

    var isEmpty: Bool { batch.documents.isEmpty }

    mutating func add(_ next: ImportReader.Batch) {
        for case .success(let document) in next.documents where !document.id.isLocal {
            if let last, document.id < last { isOrdered = false }
            last = document.id
        }
        length += next.length + next.documents.count * GatheredBatch.documentLength
        if batch.documents.isEmpty {
            batch = next
            begin = ContinuousClock.now
        } else {
            batch.documents += next.documents
            batch.consumed = next.consumed
            batch.fault = next.fault
            batch.isLast = next.isLast
        }
    }

    /// Whether more batches are to be added before what is gathered is saved.
    func goesOn(upTo limits: ImportOptions) -> Bool {
        !isOrdered && !batch.isLast && batch.documents.count < limits.gatheredCount && length < limits.gatheredLength
            && ContinuousClock.now - begin < GatheredBatch.longest
    }

    /// Returns what has been gathered, in the order of the documents' IDs; equal ones, and what could not be read, stay
    /// in the order of the input.
    mutating func take() -> ImportReader.Batch {
        var taken = batch
        if !isOrdered {
            var documents: [ImportedDocument] = []
            var sorted: [Result<ImportedDocument, ImportFailure>] = []
            sorted.reserveCapacity(batch.documents.count)
            for document in batch.documents {
                switch document {
                case .success(let document): documents.append(document)
                case .failure: sorted.append(document)
                }
            }
            for place in documents.map(\.id).placesInOrder { sorted.append(.success(documents[place])) }
            taken.documents = sorted
        }
        batch = ImportReader.Batch()
        length = 0
        isOrdered = true
        return taken
    }
}
