"""A small part of Mango's selectors."""


def matches(selector, value):
    for key, wanted in selector.items():
        if key == "$and":
            if not all(matches(each, value) for each in wanted):
                return False
        elif key == "$or":
            if not any(matches(each, value) for each in wanted):
                return False
        elif key == "$nor":
            if any(matches(each, value) for each in wanted):
                return False
        elif key == "$not":
            if matches(wanted, value):
                return False
        else:
            found, present = value, True
            for step in key.split("."):
                present = present and isinstance(found, dict) and step in found
                found = found[step] if present else None
            if not satisfies(wanted, found, present):
                return False
    return True


COMPARISONS = {
    "$eq": lambda one, other: one == other,
    "$ne": lambda one, other: one != other,
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
    "$in": lambda one, other: one in other,
    "$nin": lambda one, other: one not in other,
}


def satisfies(wanted, found, present):
    if not isinstance(wanted, dict):
        return present and found == wanted
    for operator, operand in wanted.items():
        if operator == "$exists":
            if present != operand:
                return False
        elif operator == "$not":
            if satisfies(operand, found, present):
                return False
        elif operator in COMPARISONS:
            try:
                if not present or not COMPARISONS[operator](found, operand):
                    return False
            except TypeError:
                return False
        elif not present or not isinstance(found, dict) or not matches({operator: operand}, found):
            return False
    return True
