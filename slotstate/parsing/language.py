"""What the grammar needs to know of a language: one table each, read by all finders.

Patterns in a table are regular expression fragments over folded text (NFKC, casefolded, single spaces). They must not
hold unbounded repetition. In cues, `<` stands for the start of a clause and `>` for its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cue:
    """Phrases that carry a meaning, and the longer phrases (`traps`) inside which they do not."""

    words: tuple[str, ...]
    traps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Numerals:
    """Number words. `small` maps a word to (value, room): a following part of the number is less than its room.

    `articles` count only before a magnitude ("a hundred"), `phrases` only before a unit ("a couple of"). `attached` are
    magnitudes glued to digits ("2k").
    Words in `lone` are a number of their own only where `lone_before` ends before them or `lone_after` starts after
    them and `lone_not_before` does not end before them. `linker` joins what follows hundreds only
    ("two hundred and six"); `minus` is what makes the number after it negative;
    `around_answer` and `after_answer` may stand beside a number that is all that an answer says.
    """

    small: Mapping[str, tuple[Decimal, int]]
    magnitudes: Mapping[str, int]
    joiner: str
    articles: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    phrases: Mapping[str, int] = field(default_factory=dict[str, int])
    attached: Mapping[str, int] = field(default_factory=dict[str, int])
    implicit_one: frozenset[str] = frozenset()
    lone: frozenset[str] = frozenset()
    lone_after: str = "(?!)"
    lone_before: str = "(?!)"
    lone_not_before: str = "(?!)"
    not_after: str = "(?!)"
    half_tail: str = "(?!)"
    units_attached: tuple[str, ...] = ()
    linker: str = "\0"
    minus: str = "(?!)"
    around_answer: str = ""
    after_answer: str = ""
    positional: bool = False
    elliptic_tail: bool = False
    traps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choices:
    """Ordinals and how an option of a list is named. Patterns name the groups `n`, `ordinal`, `back` or `pair`.
    `positions` are ordinals that number a thing ("the 21st"); `suffixes` are glued to digits to make them ordinals;
    `middle_forms` pick the middle one of an odd number.
    """

    ordinals: Mapping[str, int]
    ordinal_forms: tuple[str, ...]
    option_forms: tuple[str, ...]
    chosen_after: str
    pair: Mapping[str, int]
    pair_forms: tuple[str, ...]
    positions: tuple[str, ...] = ()
    suffixes: str = "(?!)"
    middle_forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calendar:
    """Words of the calendar and the forms a date takes: (kind, template) with {placeholders} for the tables.

    Weekdays count from Monday = 0; `relative` is in days from today; the shifts in weeks, months and years.
    `week_shift` counts Monday-based weeks; `week_noun` is what makes its words a week without a day. `holidays` are
    (month, day). Forms of the kind "open" say a day that cannot be worked out here: what they cover is no date.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    weekdays_short: Mapping[str, int]
    relative: Mapping[str, int]
    week_shift: Mapping[str, int]
    month_shift: Mapping[str, int]
    year_shift: Mapping[str, int]
    forms: tuple[tuple[str, str], ...]
    traps: tuple[str, ...] = ()
    week_noun: str = ""
    holidays: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clock:
    """Words of the clock. `parts` maps a day part to "am", "pm", "noon" or "night", `hours` some of these words to the
    hours [first, last] that they stand for; `minutes` maps words to minutes.

    Across `carries` the part of the day goes on from one time to the next (晚上六点或七点).
    """

    parts: Mapping[str, str]
    minutes: Mapping[str, int]
    named: Mapping[str, tuple[int, int]]
    forms: tuple[tuple[str, str], ...]
    date_joiner: str
    traps: tuple[str, ...] = ()
    carries: str = "(?!)"
    hours: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spans:
    """Durations: `units` maps a word to second, minute, hour, day, week, month or year, `fractions` to parts of one."""

    units: Mapping[str, str]
    forms: tuple[tuple[str, str], ...]
    joiner: str
    not_after: str
    vague: frozenset[str]
    ahead: tuple[str, ...]
    back: tuple[str, ...]
    fractions: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Currencies:
    """Currency words (regular expression fragments) after a number, and parts of a unit ("cents", in hundredths).
    `counted` are words of price or measure behind digits that are no phone number then.
    """

    after: Mapping[str, str]
    cents: Mapping[str, tuple[str, Decimal]]
    counted: str
    tail: str = "(?!)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cues:
    """What a user signals beside values. `negate` is read right before a value; words of it in `counted_no` number what
    follows when digits do ("no 5"), and by themselves before `counted_after` correct a number ("four, no five"). A
    word of `negate` that starts like a key of `besides` negates nothing when the pattern there follows: what is named
    is added to, or the only one (除了…还要, 非…不可). `given_up` stands right behind a value that is ruled out ("… is
    not an option", …除外). `titles` may stand before a name.

    `past` stands in the declaration of a slot whose dates lie in the past, `past_question` in a question and
    `past_told` in an answer about such a date. `small` words point at nothing by themselves. `denying` is put
    right before a feature to deny it ("non-smoking", 不吸烟). `reckon` works a value out of another, which § stands for
    ("the second §", "two days after §").
    """

    affirm: Cue
    refuse: Cue
    fillers: Cue
    correct: Cue
    clear: Cue
    remove: Cue
    replace: Cue
    dont_care: Cue
    undo: Cue
    restart: Cue
    hesitate: Cue
    ask: Cue
    negate: Cue
    negate_gap: str
    either: str
    either_gap: str
    origin: Cue
    destination: Cue
    phone: Cue
    past: Cue
    past_question: Cue
    past_told: Cue
    small: frozenset[str]
    reckon: Cue = Cue(())
    denying: tuple[str, ...] = ()
    counted_no: frozenset[str] = frozenset()
    counted_after: str = "(?!)"
    besides: Mapping[str, str] = field(default_factory=dict[str, str])
    given_up: str = "(?!)"
    titles: str = "(?!)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Language:
    """Everything language-specific.

    `spaced` languages write spaces between words; texts without a match of `script` need not be read by this table;
    `fragments` serve the templates.
    """

    code: str
    spaced: bool
    script: str
    numerals: Numerals
    choices: Choices
    calendar: Calendar
    clock: Clock
    spans: Spans
    currencies: Currencies
    cues: Cues
    fragments: Mapping[str, str]
