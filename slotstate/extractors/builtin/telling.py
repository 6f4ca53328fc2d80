"""What no wish to change a held value is: told of the past, refused, asked in order to know, counted among others."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "(?!)"


@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """A language's words for it, as patterns.

    `once` tells of the past whatever else the clause says ("last week", "used to"), `was` does where nothing is
    corrected; `parts` ends a clause that commas do not end. `refused` ends right before what is refused, `inquires`
    starts a sentence that asks for information, unless `offers` finds that it asks for something to be had; `costs`
    asks for terms, whatever `offers` finds. `does` stands behind what is spoken of and not wished for, `already` before
    the time that it is now, `by_the_way` in what is said in passing. `has`
    ends right before an option that users say they have. Behind a number of people, `some` starts what is
    said of a part of them, and `else_counted` is something else than people.
    `from_now` starts a clause that tells when something will happen ("in 2 months we …").
    """

    once: str = NOTHING
    was: str = NOTHING
    parts: str = NOTHING
    refused: str = NOTHING
    inquires: str = NOTHING
    offers: str = NOTHING
    costs: str = NOTHING
    does: str = NOTHING
    already: str = NOTHING
    by_the_way: str = NOTHING
    has: str = NOTHING
    some: str = NOTHING
    else_counted: str = NOTHING
    from_now: str = NOTHING
