#include "CSQLiteAPI.h"
