"""The page put together and rendered: everything that is no mark-up of the template is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, StrictUndefined

from slotstate.evaluating.page.charts import bars, columns, milliseconds, whisker
from slotstate.evaluating.page.examples import by_slot
from slotstate.measuring.causes import ABOUT as CAUSES
from slotstate.measuring.dialogues import Corpus
from slotstate.measuring.evaluation import BETTER_WHEN_LESS, Evaluation
from slotstate.measuring.naming import ABOUT as FIGURES
from slotstate.measuring.scoring import DialogueScore
from slotstate.measuring.statistics import FEWEST
from slotstate.resources import data_text


def render(evaluation: Evaluation, corpus: Corpus, scores: Sequence[DialogueScore]) -> str:
    """The report of an evaluation as HTML, with the mistakes that the scores tell of."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(percent=_percent, number=_number, ms=milliseconds, points=_points, written=_written)
    template = environment.from_string(data_text("evaluating/page/report.html.jinja"))
    return template.render(
        run=evaluation,
        figures=[_figure(name, evaluation) for name in FIGURES if name in evaluation.figures],
        by_turn=columns(evaluation.by_turn, "By turn", "number of the user turn"),
        by_size=columns(evaluation.by_size, "By size of the state", "slots that should hold something"),
        whisker=whisker,
        causes=bars(evaluation.causes),
        about=CAUSES,
        slots=by_slot(corpus, scores, evaluation.by_slot),
        mistakes=sum(len(score.mistakes) for score in scores),
        fewest=FEWEST,
    )


def _figure(name: str, evaluation: Evaluation) -> Mapping[str, Any]:
    title, about = FIGURES[name]
    figure = evaluation.figures[name]
    change = evaluation.comparison.changes.get(name) if evaluation.comparison else None
    better = change is not None and (change.difference < 0 if name in BETTER_WHEN_LESS else change.difference > 0)
    return {"name": name, "title": title, "about": about, "value": figure, "change": change, "better": better}


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _points(value: float | None) -> str:
    """A difference in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.1f}".replace("-", "−")


def _written(value: Any) -> str:
    """A setting: a list's items with commas between."""
    if value is None:
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
