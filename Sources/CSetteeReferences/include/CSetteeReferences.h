// A declaration of what Swift's runtime exports and the language has no word for. It stands in C because Swift declares
// functions of the runtime only by an attribute that is not part of the language.

#ifndef CSETTEEREFERENCES_H
#define CSETTEEREFERENCES_H

/// Retains an object unless its last reference is gone already. The memory of the object must still exist: its deinit may
/// have begun, but not ended.
///
/// The object; NULL if it was not retained.
void *swift_tryRetain(void *object);

#endif
