"""What a model still answers once a conversation is compacted: questions about early facts, before and after.

usage: python -m benchmarks.compaction_answers --model FILE.gguf [--data FOLDER] [--questions 60] [--replies FILE]

Needs `pip install -e '.[local]'`, an instruct model as a GGUF file and the corpora. Real dialogues are chained into
conversations of about --tokens tokens (see answers_dialogues), in which about half of the slots are tracked; at the end
of each the user asks for some things that he said in its first half. full: the whole conversation, all of it in the
prompt. compacted: the same conversation under a budget of --window tokens, compacted while it went on, with the
summariser that needs no model. An answer is right if it names the value in one of its forms, or reads as the same
value. `standing` are the questions whose answer stands anywhere in the compacted prompt, `left` those whose turn is no
longer in it.

--replies keeps the model's replies in an SQLite file: what was asked before is not asked again. Temperature 0, at most
24 tokens a reply. --dry asks nothing and tells what stands in the prompts. Nothing of the corpora is printed.

Exit status: 0 when the answers to all questions were had, 2 when there are too few questions.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final

from benchmarks.answers_dialogues import Question, Talk, talks
from benchmarks.answers_forms import read_as
from benchmarks.builtin_corpora import NOW
from benchmarks.prompt_server import Server, ServerCounter
from benchmarks.reading_asking import REPLY, Replies, names
from slotstate import Budget, Tracker
from slotstate.contract import Prompt
from slotstate.domains import compile_domains
from slotstate.jsonschema import domain_from_json_schema
from slotstate.testing import ScriptedExtractor

ARMS: Final = ("full", "compacted")


@dataclass(frozen=True)
class Asked:
    """A question as it was asked in one arm."""

    talk: Talk
    question: Question
    tokens: int
    compactions: int
    left: bool
    standing: bool
    reply: str | None

    @property
    def right(self) -> bool:
        """Whether the reply is right."""
        return self.reply is not None and is_right(self.reply, self.question)


def is_right(reply: str, question: Question) -> bool:
    """Whether a reply names the value, or reads as the same one."""
    if names(reply, question.right):
        return True
    read = read_as(question.spec, reply)
    return read is not None and str(read) in question.right.forms


def shown(talk: Talk, question: Question, budget: Budget) -> tuple[Prompt, int]:
    """The prompt in which a question is asked, and how often its conversation was compacted."""
    domains = compile_domains([domain_from_json_schema(dict(schema)) for schema in talk.schemas])
    script = [step.found for step in talk.steps]
    chat = Tracker(
        domains,
        extractor=ScriptedExtractor(script),
        template="zh" if talk.chinese else "default",
        clock=lambda: NOW,
    ).open(talk.name)
    for turn, step in enumerate(talk.steps):
        chat.user(step.text, id=f"u{turn}")
        chat.prompt(budget)
        chat.assistant(step.reply or "OK.")
    chat.user(question.text)
    return chat.prompt(budget), chat.summary.version


def ask(arm: str, talk: Talk, budget: Budget, replies: Replies | None) -> Iterator[Asked]:
    """All questions of a conversation in one arm."""
    for question in talk.questions:
        prompt, compactions = shown(talk, question, budget)
        said = [_text(message) for message in prompt.messages]
        whole = talk.steps[question.turn].text
        yield Asked(
            talk=talk,
            question=question,
            tokens=prompt.tokens or 0,
            compactions=compactions,
            left=not any(whole in text for text in said if not text.startswith("<")) if arm != "full" else False,
            standing=any(names(text, question.right) for text in said[:-1]),
            reply=None if replies is None else replies.reply(prompt.messages),
        )


def _text(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def interval(gains: Sequence[tuple[str, int]], *, draws: int = 10_000, seed: int = 1) -> tuple[float, float]:
    """Where 95 % of the mean gains lie when the conversations (the names) are drawn anew."""
    by: dict[str, list[int]] = {}
    for name, gain in gains:
        by.setdefault(name, []).append(gain)
    rng, groups = random.Random(seed), [(sum(one), len(one)) for one in by.values()]
    means = []
    for _ in range(draws):
        drawn = rng.choices(groups, k=len(groups))
        means.append(sum(gain for gain, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return means[int(draws * 0.025)], means[int(draws * 0.975)]


def report(answers: dict[str, list[Asked]], *, judged: bool) -> None:
    """Right answers of both arms, all and by kind, with the paired difference."""
    full, compacted = answers["full"], answers["compacted"]
    kinds: dict[str, Callable[[Asked], bool]] = {
        "all": lambda one: True,
        "tracked slots": lambda one: one.question.tracked,
        "in words only": lambda one: not one.question.tracked,
        "Chinese": lambda one: one.talk.chinese,
    }
    print(f"\n{len(full)} questions in {len({one.talk.name for one in full})} conversations")
    for arm, given in answers.items():
        tokens = [one.tokens for one in given]
        print(f"{arm:<12} tokens {statistics.fmean(tokens):.0f} on average, {max(tokens)} at most")
    print(f"compactions of a conversation: {statistics.fmean(one.compactions for one in compacted):.1f}")
    print(f"\n{'':<16}{'questions':>10}{'left':>8}{'standing':>10}{'full':>8}{'compacted':>11}  difference")
    for kind, belongs in kinds.items():
        pairs = [pair for pair in zip(full, compacted, strict=True) if belongs(pair[0])]
        if not pairs:
            continue
        count = len(pairs)
        line = f"{kind:<16}{count:>10}{sum(b.left for _, b in pairs):>8}{sum(b.standing for _, b in pairs):>10}"
        if judged:
            gains = [(a.talk.name, b.right - a.right) for a, b in pairs]
            low, high = interval(gains)
            line += f"{sum(a.right for a, _ in pairs):>8}{sum(b.right for _, b in pairs):>11}"
            line += f"  {sum(gain for _, gain in gains) / count:+.1%} ({low:+.1%} to {high:+.1%})"
        print(line)


def _enough(found: Iterable[Talk], questions: int) -> list[Talk]:
    """Conversations with so many questions in all, the last one without those above that."""
    chosen: list[Talk] = []
    for talk in found:
        missing = questions - sum(len(one.questions) for one in chosen)
        if missing <= 0:
            break
        if talk.questions:
            chosen.append(replace(talk, questions=talk.questions[:missing]))
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file of an instruct model")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SLOTSTATE_DATA", "../shared/data")))
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--each", type=int, default=6, help="questions of a conversation at most")
    parser.add_argument("--tokens", type=int, default=1_300, help="of a conversation's messages")
    parser.add_argument("--window", type=int, default=1_100, help="the budget of the compacted prompt")
    parser.add_argument("--corpora", default="sgd,multiwoz,crosswoz")
    parser.add_argument("--replies", type=Path, help="an SQLite file that keeps the replies")
    parser.add_argument("--dry", action="store_true", help="ask nothing")
    options = parser.parse_args(arguments)
    with Server(options.model) as server:
        counter = ServerCounter(server)
        each = [
            talks(corpus, options.data, counter.count, options.tokens, options.each)
            for corpus in options.corpora.split(",")
        ]
        found = (talk for talk in chain.from_iterable(zip_longest(*each)) if talk is not None)
        chosen = _enough(found, options.questions)
        if sum(len(talk.questions) for talk in chosen) < options.questions:
            print(f"there are fewer than {options.questions} questions in these corpora", file=sys.stderr)
            return 2
        budgets = {
            "full": Budget(None, reply=REPLY, counter=counter, profile="llama.cpp"),
            "compacted": Budget(options.window, reply=REPLY, counter=counter, profile="llama.cpp"),
        }
        replies = None if options.dry else Replies(server, options.replies)
        answers: dict[str, list[Asked]] = {arm: [] for arm in ARMS}
        for at, talk in enumerate(chosen, 1):
            for arm in ARMS:
                answers[arm] += ask(arm, talk, budgets[arm], replies)
            asked = 0 if replies is None else replies.asked
            right = [sum(one.right for one in answers[arm]) for arm in ARMS]
            print(f"{at} of {len(chosen)} conversations, {asked} asked, {right}", file=sys.stderr, flush=True)
    report(answers, judged=not options.dry)
    return 0


if __name__ == "__main__":
    sys.exit(main())
