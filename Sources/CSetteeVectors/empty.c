#include "CSetteeVectors.h"
