#include "CSetteeReferences.h"
