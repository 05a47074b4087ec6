package import HTTPTypes
package import SetteeCouchProtocol

/// An answer that refuses a request, with the headers that it needs: `WWW-Authenticate`, `Retry-After`, those of CORS.
package struct AccessRefusal: Error, Sendable {
    package let error: CouchError
    package let headers: HTTPFields
}
