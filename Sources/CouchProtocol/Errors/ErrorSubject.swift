/// What a failed call was about. A 404 of a database has other words than that of a document.
public enum ErrorSubject: Sendable {
    case document
    case database
    case attachment
}
