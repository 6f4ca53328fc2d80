"""One user turn in its context: the words, the slots in play, what was asked, and which stretches do not fill."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from slotstate.domains import Domain
from slotstate.extract import Request
from slotstate.extractors.builtin.asking import asked_profiles
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.profile import Profile, has_word, profile, stem
from slotstate.extractors.builtin.restraint import code_spans
from slotstate.extractors.builtin.words import Words, cue_spans, inside
from slotstate.parsing import Span, asks, fold, unspaced
from slotstate.parsing.matching import compiled
from slotstate.slots import SlotSpec
from slotstate.state import SlotState
from slotstate.values import Reading, currency_of, direction


@dataclass(eq=False)
class Context:
    """One turn. Everything derived is worked out once."""

    request: Request
    home: str | None = None
    """The domain that the turn itself points at by values and names of its slots, once that was read."""

    @cached_property
    def words(self) -> Words:
        """What the user says."""
        return Words(self.request.user)

    @cached_property
    def assistant(self) -> Words:
        """What the assistant said before."""
        return Words(self.request.assistant)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """Every slot that the user may fill, fields of composites in their place, the active domains first."""
        return tuple(one for domain in self.request.domains.values() for one in _fillable(domain))

    @cached_property
    def asked(self) -> tuple[Profile, ...]:
        """The slots that the assistant's last turn asks for: those the request names, else those its words point at."""
        return asked_profiles(self.request, self.assistant, self.profiles)

    @cached_property
    def focus(self) -> tuple[str, ...]:
        """The domains that the turn is about: named in it, asked about, else last changed or the only one."""
        asked = list(dict.fromkeys(one.domain for one in self.asked))
        named = [name for name in self.request.domains if self._names_domain(name)]
        asked = [name for name in asked if name not in named]
        if asked or named:
            return (*named, *asked)
        if self.home is not None:
            return (self.home,)
        if self.recent is not None:
            return (self.recent,)
        return tuple(self.request.domains) if len(self.request.domains) == 1 else ()

    def settle(self, home: str) -> None:
        """Take the turn to be about a domain, where nobody named or asked about one."""
        self.home = home
        self.__dict__.pop("focus", None)

    @cached_property
    def recent(self) -> str | None:
        """The domain that was last changed."""
        latest = max(self.request.domains, key=self._changed, default=None)
        return latest if latest is not None and self._changed(latest) >= 0 else None

    def _names_domain(self, name: str) -> bool:
        return any(has_word(word, self.words.text) or _parted(word, self.words.text) for word in _domain_words(name))

    def _changed(self, name: str) -> int:
        prefix = f"{name}."
        return max(
            (slot.changed for path, slot in self.request.state.slots.items() if path.startswith(prefix)), default=-1
        )

    def slot(self, one: Profile) -> SlotState:
        """What the slot (or the composite that the field belongs to) holds."""
        return self.request.state.slot(one.slot)

    def held(self, one: Profile) -> object:
        """The value that the slot or field holds, None for none."""
        slot = self.request.state.slots.get(one.slot)
        if slot is None or not slot.is_held or slot.held.dontcare:
            return None
        value: object = slot.held.value
        return value.get(one.field) if one.field and isinstance(value, dict) else value

    def is_asked(self, one: Profile) -> bool:
        """Whether the assistant just asked for the slot."""
        return one.path in self._asked_paths

    @cached_property
    def _asked_paths(self) -> frozenset[str]:
        return frozenset(one.path for one in self.asked)

    def reading(self, one: Profile) -> Reading:
        """How `decide` reads words about the slot in this turn."""
        asked = one.path in self.request.asked
        question = self.request.assistant if asked or self.is_asked(one) else ""
        prefer = direction(one.spec, question, self.request.user)
        currency = currency_of(one.spec, question, self.held(one)) if question else None
        return Reading(self.request.now, prefer=prefer, asked=asked, currency=currency)

    @cached_property
    def closed(self) -> list[Span]:
        """Stretches that fill nothing: hypotheticals, what others said, what once was."""
        assumed = self._to_the_end(cue_spans(self.words, lambda lexicon: lexicon.hypothetical))
        return [*assumed, *self._to_the_end(cue_spans(self.words, lambda lexicon: lexicon.elsewhere)), *self.past]

    @cached_property
    def past(self) -> list[Span]:
        """Stretches that tell what once was, or what others did: no likelihood makes a choice of it."""
        return self._to_the_end(cue_spans(self.words, lambda lexicon: lexicon.past))

    def _to_the_end(self, cues: Sequence[Span]) -> list[Span]:
        """From each cue to the end of its sentence, or to where the user comes back to what is wanted."""
        first: dict[int, int] = {}
        for start, _ in cues:
            end = self._turning(start, self.words.sentence(start)[1])
            first[end] = min(start, first.get(end, start))
        return [(start, end) for end, start in first.items()]

    def _turning(self, start: int, end: int) -> int:
        """Where a stretch from `start` to `end` comes back to what the user wants ("we went to Oslo, but now …")."""
        return min((at for at, _ in self._returns if start < at < end), default=end)

    @cached_property
    def _returns(self) -> list[Span]:
        return cue_spans(self.words, lambda lexicon: lexicon.returning)

    @cached_property
    def judged(self) -> list[Span]:
        """What a question asks an opinion on ("is Bergen far?"): it is spoken of, not chosen."""
        return cue_spans(self.words, lambda lexicon: lexicon.judging) if self.questions else []

    @cached_property
    def passed(self) -> list[Span]:
        """What cannot be had, or is passed over ("Dr Smith is fully booked"): it fills nothing, and rules none out."""
        return cue_spans(self.words, lambda lexicon: lexicon.passed)

    @cached_property
    def ages(self) -> list[Span]:
        """Where a bare number tells how old someone is ("he is two"): it counts nothing else."""
        return cue_spans(self.words, lambda lexicon: lexicon.ages)

    @cached_property
    def questions(self) -> list[Span]:
        """Sentences that ask for information."""
        return [span for span in self.words.sentences if asks(self.words.part(span))]

    @cached_property
    def hard_questions(self) -> list[Span]:
        """Questions that want to know something, rather than ask for something to be done or found."""
        soft = [span[0] for span in cue_spans(self.words, lambda lexicon: lexicon.soft_question)]
        return [
            span
            for span in self.questions
            if not any(span[0] <= at < span[1] for at in soft) and not self._repeats_question(span)
        ]

    def _repeats_question(self, span: Span) -> bool:
        """ "and the morning after?": the question before with another value."""
        text = self.words.text[span[0] : span[1]].strip()
        return any(compiled(lexicon.ellipsis).fullmatch(text) is not None for lexicon in self.words.languages)

    @cached_property
    def inquiries(self) -> list[Span]:
        """Questions that do not ask politely for something to be done: a word like "parking" in them fills nothing."""
        polite = [span[0] for span in cue_spans(self.words, lambda lexicon: lexicon.polite)]
        return [span for span in self.questions if not any(span[0] <= at < span[1] for at in polite)]

    @cached_property
    def small_talk(self) -> list[Span]:
        """Where the turn passes remarks."""
        return cue_spans(self.words, lambda lexicon: lexicon.small_talk)

    @cached_property
    def everything(self) -> tuple[Profile, ...]:
        """Every slot, those included that only tools fill: a user may ask about any."""
        return tuple(one for domain in self.request.domains.values() for one in _declared(domain))

    @cached_property
    def sole(self) -> Profile | None:
        """The only slot that there is, which every short statement is about."""
        specs = [spec for domain in self.request.domains.values() for spec in domain.slots.values()]
        return profile(specs[0]) if len(specs) == 1 and specs[0].slot.evidence != "tool" else None

    def fills(self, span: Span) -> bool:
        """Whether a value at `span` may fill a slot, or the words there tell of something else."""
        return not any(inside(span, spans) for spans in (self.closed, self.passed, self.code))

    @cached_property
    def code(self) -> list[Span]:
        """Where code and addresses of pages stand."""
        return code_spans(self.words.text)


@lru_cache(maxsize=256)
def _fillable(domain: Domain) -> tuple[Profile, ...]:
    return tuple(profile(leaf) for spec in domain.slots.values() for leaf in _leaves(spec))


@lru_cache(maxsize=256)
def _declared(domain: Domain) -> tuple[Profile, ...]:
    return tuple(profile(spec) for spec in domain.slots.values())


@lru_cache(maxsize=256)
def _domain_words(name: str) -> frozenset[str]:
    """The stems of the words of a domain's name, short ones aside."""
    parts = re.split(r"[\s_-]+", fold(name).text)
    return frozenset(stem(part) for part in parts if len(part) > 2 or not part.isascii())


def _parted(word: str, text: str) -> bool:
    """Whether a text holds a verb and its object with what is done between them (订个座 for 订座)."""
    if len(word) != 2 or word[0] not in text or not all(map(unspaced, word)):
        return False
    return any(compiled(word[0] + lexicon.inserted + word[1]).search(text) for lexicon in LEXICONS if lexicon.inserted)


def _leaves(spec: SlotSpec) -> Iterator[SlotSpec]:
    if spec.slot.evidence == "tool" or spec.kind == "map":
        return
    if spec.kind != "composite":
        yield spec
        return
    for part in spec.fields.values():
        if part.kind not in {"composite", "list", "map"}:
            yield part
