"""The five fields of a cron expression, read by the lab's own grammar before croniter sees them.

    expression   minute hour day-of-month month day-of-week, split on spaces and tabs; or @hourly @daily @midnight
                 @weekly @monthly @yearly @annually
    field        item,item,...
    item         *   value   value-value, and each may be followed by /step; value/step runs to the field's end
    value        one or two ASCII digits; JAN to DEC and SUN to SAT, in any case, in their own fields

A day field is restricted when it is not a bare `*`; when both are, a day that either names matches. 7 is Sunday,
and a start/step in day-of-week runs to Saturday, as croniter has it. A step past the field's end is allowed and
leaves the start alone, as in croniter and cronsim. What is refused comes with the place and, if there is one, a
spelling that is accepted.

Source: seed 001, §1 ("five fields"; "the earliest calendar slot ... that the expression matches").
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from echomq_lab.errors import CronError

#: The longest expression that is read, in characters: every value of every field spelled out is 357.
LONGEST = 500

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}

_DAYS = ("SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY")
_MONTHS = (
    *("JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE"),
    *("JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"),
)
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ORDER = "minute hour day-of-month month day-of-week"
_READ = "the lab reads numbers, names of months and days, '*', lists, ranges and steps"
_TOKEN = re.compile(r"[^ \t]+")
_STEP = re.compile(r"[0-9]{1,3}", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
#: Marks of other crons: last day L, nearest weekday W, hashed H, random R, nth #, any ?.
_OTHER_CRONS = re.compile(r"[?#]|^[0-9]*[LW]+[0-9]*$|^[HR](\(.*)?$")


@dataclass(frozen=True, slots=True)
class Rule:
    """What an expression means: its text, and the values that match in each field, ascending; () is any.

    `text` has the alias expanded and single spaces. Sunday is 0. When both day fields hold values, either matches;
    a half that cannot match, or that makes every day match, is gone already.
    """

    text: str
    fields: tuple[tuple[int, ...], ...]

    @property
    def numeric(self) -> str:
        """The rule as five fields of plain numbers, all that croniter is given: no range, step or name is left."""
        return " ".join(",".join(map(str, values)) or "*" for values in self.fields)


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    allowed: str
    names: tuple[str, ...] = ()

    @property
    def short(self) -> tuple[str, ...]:
        return tuple(name[:3] for name in self.names)

    @property
    def top(self) -> int:
        """The highest number that may be written: 7 for day-of-week, whose cycle ends at 6."""
        return 7 if self.name == "day-of-week" else self.high


_FIELDS = (
    _Field("minute", 0, 59, "minutes run from 0 to 59"),
    _Field("hour", 0, 23, "hours run from 0 to 23"),
    _Field("day-of-month", 1, 31, "days of the month run from 1 to 31"),
    _Field("month", 1, 12, "months run from 1 to 12, or JAN to DEC", _MONTHS),
    _Field("day-of-week", 0, 6, "days of the week run from 0 to 7 (0 and 7 are Sunday), or SUN to SAT", _DAYS),
)


class _MisreadError(Exception):
    """What is wrong at a place of `expr`, and the whole expression with that one place mended, or None."""

    def __init__(self, expr: str, start: int, token: str, what: str, allowed: str, field: str | None = None) -> None:
        self.expr, self.start, self.token = expr, start, token
        self.what, self.allowed, self.field = what, allowed, field
        self.mended: str | None = None

    def put(self, text: str | None) -> _MisreadError:
        """Mend by writing `text` over the token."""
        if text is not None:
            self.mended = self.expr[: self.start] + text + self.expr[self.start + len(self.token) :]
        return self


@lru_cache(maxsize=1024)
def parse(expr: str) -> Rule:
    """The rule of an expression. Raises `CronError` with field, token, position, allowed and repair."""
    try:
        return _read(expr)
    except _MisreadError as fault:
        error = _told(fault)
    raise error


def _told(fault: _MisreadError) -> CronError:
    repair = _repair(fault)
    # Of one that is too long nothing is quoted, so not all of it is escaped.
    expr, token = _visible(fault.expr[: LONGEST + 1]), _visible(fault.token)
    if len(fault.expr) > LONGEST:
        head = f"the expression has {len(fault.expr)} characters"
    elif fault.token == fault.expr:
        head = f"'{expr}' {fault.what}\n {'^' * len(token)}".rstrip()
    else:
        before = f"{fault.field} " if fault.field else ""
        before += f"'{token}' {fault.what} in '"
        caret = " " * (len(before) + len(_visible(fault.expr[: fault.start]))) + "^" * len(token)
        head = f"{before}{expr}'\n{caret}"
    hint = f"; did you mean '{repair}'?" if repair else ""
    return CronError(
        f"{head}\n{fault.allowed}{hint}",
        field=fault.field,
        token=fault.token,
        position=fault.start,
        allowed=fault.allowed,
        repair=repair,
    )


def _visible(text: str) -> str:
    """The text in one line of printable ASCII, so that the caret stays under its token."""
    return "".join(c if " " <= c <= "~" else " " if c == "\t" else c.encode("unicode_escape").decode() for c in text)


def _repair(fault: _MisreadError) -> str | None:
    # A mended place can leave another fault behind it; a repair is offered only once the whole is accepted.
    mended = fault.mended
    for _ in range(32):
        if mended is None:
            break
        try:
            _read(mended)
        except _MisreadError as left:
            mended = left.mended
        else:
            return " ".join(mended.split())
    return None


def _read(expr: str) -> Rule:
    if len(expr) > LONGEST:
        allowed = f"an expression has at most {LONGEST} characters"
        raise _MisreadError(expr, LONGEST, expr[LONGEST], "is too long", allowed)
    for at, char in enumerate(expr):
        if not " " <= char <= "~" and char != "\t":
            allowed = "fields are ASCII text, split by spaces and tabs"
            raise _MisreadError(expr, at, char, "is not read", allowed).put(_plain(char))
    text = ALIASES.get(expr.strip(" \t").lower(), expr)
    tokens = [(token[0], token.start()) for token in _TOKEN.finditer(text)]
    if tokens and tokens[0][0].startswith("@"):
        raise _alias_fault(expr, *tokens[0])
    if len(tokens) != len(_FIELDS):
        raise _count_fault(expr, [token for token, _ in tokens], tokens[5][1] if len(tokens) > 5 else 0)
    minutes, hours, days, months, weekdays = (
        _values(text, field, token, at) for field, (token, at) in zip(_FIELDS, tokens, strict=True)
    )
    days_open, weekdays_open = tokens[2][0] == "*", tokens[4][0] == "*"
    if not days_open and not weekdays_open and (len(days) == 31 or len(weekdays) == 7):
        days = weekdays = ()
    longest = max(_DAYS_IN_MONTH[month - 1] for month in months)
    if days and days[0] > longest:
        if weekdays_open:
            allowed = f"the longest month named in '{tokens[3][0]}' has {longest} days"
            fault = _MisreadError(text, tokens[2][1], tokens[2][0], "never comes", allowed, "day-of-month")
            raise fault.put(str(longest))
        # The dead half of an either-or: croniter would search decades for it at every call.
        days = ()
    read = (minutes, hours, days, months, weekdays)
    fields = tuple(
        () if len(values) == field.high - field.low + 1 else values for field, values in zip(_FIELDS, read, strict=True)
    )
    return Rule(" ".join(token for token, _ in tokens), fields)


def _plain(char: str) -> str | None:
    """The ASCII character that stands for a pasted one: a blank, a digit, a dash."""
    if char.isspace():
        return " "
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return "-" if unicodedata.category(char) == "Pd" else None


def _alias_fault(expr: str, token: str, at: int) -> _MisreadError:
    name = token.lower()
    if name == "@reboot":
        return _MisreadError(expr, at, token, "names a start, not a slot", "register at start-up for that")
    if name == "@every":
        return _MisreadError(expr, at, token, "names a gap, not a slot", "a gap is an Interval(every_ms)")
    fault = _MisreadError(expr, at, token, "is not an alias", f"the aliases are {' '.join(ALIASES)}")
    near = get_close_matches(name, ALIASES, 1)
    fault.mended = near[0] if near else None
    return fault


def _count_fault(expr: str, tokens: list[str], sixth: int) -> _MisreadError:
    count = len(tokens)
    allowed = f"five fields are read: {_ORDER}"
    if count > 5:
        # Six fields are five with seconds before them, or with a year after them; seven are both.
        kept = tokens[1:6] if count == 7 or not re.fullmatch("[0-9]{4}", tokens[-1], re.ASCII) else tokens[:5]
        fault = _MisreadError(expr, sixth, tokens[5], f"is field 6 of {count}", allowed)
        fault.mended = " ".join(kept) if count < 8 else None
        return fault
    fault = _MisreadError(expr, 0, expr, f"has {count or 'no'} field{'' if count == 1 else 's'}", allowed)
    fault.mended = " ".join(tokens + ["*"] * (5 - count)) if tokens else None
    return fault


def _values(expr: str, field: _Field, token: str, at: int) -> tuple[int, ...]:
    """The values a field names, ascending."""
    items = token.split(",")
    if "" in items:
        fault = _MisreadError(
            expr, at, token, "has an empty place", "a list has a value on each side of a comma", field.name
        )
        raise fault.put(",".join(filter(None, items)) or "*")
    values: set[int] = set()
    for item in items:
        values.update(_item(expr, field, item, at))
        at += len(item) + 1
    return tuple(sorted(values))


def _item(expr: str, field: _Field, item: str, at: int) -> set[int]:
    base, slash, step_text = item.partition("/")
    first, dash, last = base.partition("-")
    step = int(step_text) if _STEP.fullmatch(step_text) else 0
    if not first or (dash and not last):
        fault = _MisreadError(expr, at, item, "is not whole", _READ, field.name)
        raise fault.put((first or last or "*") + slash + step_text)
    if base == "*":
        low, high = field.low, field.high
    elif dash:
        low = _value(expr, field, first, at, clamp=True)
        high = _value(expr, field, last, at + len(first) + 1, clamp=True)
    else:
        low = _value(expr, field, first, at)
        high = field.high if slash else low
        # 7/2 is 0/2: Sunday opens the week that a start and a step walk.
        low = low % 7 if slash and field.name == "day-of-week" else low
    if slash and not step:
        allowed = "a step is a whole number from 1 to 999"
        fault = _MisreadError(expr, at, item, f"has the step '{step_text}'", allowed, field.name)
        raise fault.put(None if step_text.strip("0") else base)
    if low > high:
        spelled = _unwrapped(field, low, high, step or 1, first.isalpha() and last.isalpha())
        allowed = "a range runs upwards; one over the end is spelled out"
        raise _MisreadError(expr, at, item, "runs backwards", allowed, field.name).put(spelled)
    named = range(low, high + 1, step or 1)
    return {value % 7 for value in named} if field.name == "day-of-week" else set(named)


def _value(expr: str, field: _Field, token: str, at: int, clamp: bool = False) -> int:
    """The number that a written value stands for. `clamp` mends the end of a range, which does not wrap."""
    if _DIGITS.fullmatch(token):
        number = int(token)
        if not field.low <= number <= field.top:
            # 75 minutes are 15 past; a day, a month or the end of a range goes to the nearest that there is.
            wraps = field.low == 0 and not clamp
            near = number % (field.high + 1) if wraps else min(max(number, field.low), field.top)
            raise _MisreadError(expr, at, token, "is out of range", field.allowed, field.name).put(str(near))
        if len(token) > 2:
            raise _MisreadError(expr, at, token, "has too many digits", field.allowed, field.name).put(str(number))
        return number
    upper = token.upper()
    if upper in field.short:
        return field.low + field.short.index(upper)
    full = next((name for name in field.names if len(token) > 3 and name.startswith(upper)), None)
    if full:
        allowed = f"names have three letters; {field.allowed}"
        raise _MisreadError(expr, at, token, "is not a short name", allowed, field.name).put(full[:3])
    if _OTHER_CRONS.search(upper):
        raise _MisreadError(expr, at, token, "is not read", _READ, field.name).put("*" if token == "?" else None)
    alike = get_close_matches(upper, (*field.short, *field.names), 1)
    what = f"is not {'an' if field.name == 'hour' else 'a'} {field.name}"
    raise _MisreadError(expr, at, token, what, field.allowed, field.name).put(alike[0][:3] if alike else None)


def _unwrapped(field: _Field, low: int, high: int, step: int, by_name: bool) -> str:
    """A range over the field's end as a list of what it names: FRI-MON is FRI,SAT,SUN,MON; 11-2/3 is 11,2."""
    span = field.high - field.low + 1
    start = low % 7 if field.name == "day-of-week" else low
    end = high if start <= high else high + span
    values = [(value - field.low) % span + field.low for value in range(start, end + 1, step)]
    return ",".join(field.short[value - field.low] if by_name else str(value) for value in values)
