"""Whether a model reads the prompt: questions on slots, with slots up to date and with a snapshot and notes.

usage: python -m benchmarks.prompt_reading --model FILE.gguf [--conversations 28] [--replies FILE] [--templates FOLDER]

Needs `pip install -e '.[local]'` and an instruct model as a GGUF file. Invented conversations (every fourth in Chinese)
are shown to the model in each layout, and at the end of each the user asks for the values of nine slots, one question a
prompt, which came to their values in different ways. An answer is right if it names the value that the slot holds, in
any usual form, and none that it held before.

live: profile "none", the slots are up to date in their section. frozen: profile "llama.cpp", they are a snapshot of the
first prompt, behind the turns that fill them, and changes are notes. repeated: as frozen, and the last user message is
opened by the lines about slots that the snapshot does not hold: a trial, no layout of slotstate. Each folder of
--templates, with folders `default` and `zh` in it, is another frozen layout with templates of its own.

--replies keeps the model's replies in an SQLite file: what was asked before is not asked again. Temperature 0, at most
24 tokens a reply. Prompts are read from the server's cache where they begin alike.

Exit status: 1 when `frozen` has over 3 points fewer right answers than `live`, 0 otherwise. A question takes about 5 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.prompt_server import Server, ServerCounter
from benchmarks.reading_asking import REPLY, Answer, Replies, interval, share
from benchmarks.reading_dialogues import KINDS, Conversation, Question, conversations, hold
from slotstate import Budget
from slotstate.contract import Prompt
from slotstate.tokens import Counter, message_tokens

LOSS = 0.03
"""The share of answers that the frozen layout may lose."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to show the same conversation. `repeats`: before the last words stands what the snapshot does not hold."""

    name: str
    profile: str
    repeats: bool = False
    templates: Mapping[str, str] = field(default_factory=dict)


ARMS = (Arm("live", "none"), Arm("frozen", "llama.cpp"), Arm("repeated", "llama.cpp", repeats=True))


def shown(arm: Arm, talk: Conversation, question: Question, counter: Counter) -> Prompt:
    """The prompt in which a question is asked."""
    budget = Budget(4_000, reply=REPLY, counter=counter, profile=arm.profile)
    prompt = hold(talk, question, budget, arm.templates.get(talk.language)).prompt(budget)
    if not arm.repeats:
        return prompt
    return repeated(prompt, shown(replace(ARMS[0], templates=arm.templates), talk, question, counter), counter)


def repeated(prompt: Prompt, live: Prompt, counter: Counter) -> Prompt:
    """A prompt whose last message begins with those lines about slots that only a live prompt holds."""
    known = _slot_lines(prompt)
    news = [line for line in _slot_lines(live) if line not in known]
    if not news:
        return prompt
    text = "\n".join(["<slots>", *news, "</slots>", prompt.messages[-1]["content"]])
    messages = [*prompt.messages[:-1], {**prompt.messages[-1], "content": text}]
    more = message_tokens(counter, messages[-1]) - message_tokens(counter, prompt.messages[-1])
    return prompt.model_copy(update={"messages": messages, "tokens": (prompt.tokens or 0) + more})


def _slot_lines(prompt: Prompt) -> list[str]:
    known: str = prompt.messages[1]["content"]
    return known.partition("<slots>\n")[2].partition("\n</slots>")[0].splitlines()


def ask(arm: Arm, talk: Conversation, replies: Replies, counter: Counter) -> list[Answer]:
    """The answers to all questions of a conversation."""
    found = []
    for question in talk.questions:
        prompt = shown(arm, talk, question, counter)
        found.append(Answer(talk, question, replies.reply(prompt.messages), prompt.tokens or 0))
    return found


def report(answers: Mapping[str, Sequence[Answer]]) -> None:
    """Right answers by arm and kind, and the differences from the first arm."""
    first = next(iter(answers))
    rows = [*KINDS, *dict.fromkeys(answer.conversation.language for answer in answers[first])]
    print(f"\n{'':<24}{'right':>12}{'':>9}{'outdated':>10}{'tokens':>8}  against {first}")
    for name, given in answers.items():
        right, stale = sum(answer.right for answer in given), sum(answer.outdated for answer in given)
        tokens = statistics.mean(answer.tokens for answer in given)
        line = f"{name:<24}{right:>6} of {len(given):<5}{share(given):>6.1%}{stale:>10}{tokens:>8.0f}"
        if name != first:
            low, high = interval(given, answers[first])
            line += f"  {share(given) - share(answers[first]):+.1%} ({low:+.1%} to {high:+.1%})"
        print(line)
    print(f"\n{'by kind, by template':<24}{''.join(f'{name:>14}' for name in answers)}")
    for row in rows:
        cells = []
        for given in answers.values():
            own = [answer for answer in given if row in (answer.question.kind, answer.conversation.language)]
            cells.append(f"{f'{sum(answer.right for answer in own)} of {len(own)}':>14}")
        print(f"{row:<24}{''.join(cells)}")


def show(answers: Mapping[str, Sequence[Answer]]) -> None:
    """Every question with the answers that differ in being right."""
    for given in zip(*answers.values(), strict=True):
        question = given[0].question
        if len({answer.right for answer in given}) > 1:
            print(f"\n{given[0].conversation.name} {question.kind}: {question.text}")
            print(f"  {question.right.held!s}, earlier {', '.join(str(value.held) for value in question.outdated)}")
            for name, answer in zip(answers, given, strict=True):
                print(f"  {name:<24}{'right' if answer.right else 'wrong'}: {' '.join(answer.reply.split())}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file of an instruct model")
    parser.add_argument("--conversations", type=int, default=28, help="of nine questions each")
    parser.add_argument("--replies", type=Path, help="an SQLite file that keeps the replies")
    parser.add_argument("--templates", type=Path, nargs="*", default=[], help="folders with `default` and `zh` in each")
    parser.add_argument("--show", action="store_true", help="print the answers that differ")
    options = parser.parse_args(arguments)
    arms = list(ARMS)
    for folder in options.templates:
        paths = {path.name: str(path) for path in folder.iterdir()}
        arms += [replace(arm, name=f"{arm.name}, {folder.name}", templates=paths) for arm in ARMS[1:]]
    talks = conversations(options.conversations)
    with Server(options.model) as server:
        replies, counter = Replies(server, options.replies), ServerCounter(server)
        answers: dict[str, list[Answer]] = {arm.name: [] for arm in arms}
        for at, talk in enumerate(talks, 1):
            for arm in arms:
                answers[arm.name] += ask(arm, talk, replies, counter)
            print(f"\r{at} of {len(talks)} conversations, {replies.asked} asked", end="", file=sys.stderr, flush=True)
    if options.show:
        show(answers)
    report(answers)
    return int(share(answers["live"]) - share(answers["frozen"]) > LOSS)


if __name__ == "__main__":
    sys.exit(main())
