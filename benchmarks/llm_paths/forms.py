"""Other forms of asking for changes than the one that slotstate uses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from slotstate.domains import Domain
from slotstate.extract import Request
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.extractors.instructor.prompting import Hint
from slotstate.extractors.instructor.response import Shape, response_model


class Fields(InstructorExtractor):
    """An object with a nullable field for each slot, each a quote and a value, in place of a list of changes."""

    def _model(self, shape: Shape) -> type[BaseModel]:
        return _fields_model(shape)

    def _messages(
        self, request: Request, domains: tuple[Domain, ...], shape: Shape, hints: Sequence[Hint]
    ) -> list[dict[str, Any]]:
        system, user = super()._messages(request, domains, shape, hints)
        lines = [_as_fields(line) if line.startswith('{"changes"') else line for line in system["content"].split("\n")]
        text = "\n".join(lines)
        text = text.replace(
            'Answer with an object whose "changes" is the list, in the order of the user\'s words.',
            "Answer with an object that has a field for each slot that changes, named as the slot, with its quote and "
            "value; slots that do not change are left out.",
        )
        return [{**system, "content": text}, user]


def _as_fields(reply: str) -> str:
    changes = json.loads(reply)["changes"]
    fields = {one["slot"]: {"quote": one["quote"], "value": one["value"]} for one in changes}
    return json.dumps(fields, ensure_ascii=False)


@lru_cache
def _fields_model(shape: Shape) -> type[BaseModel]:
    item = {
        "type": "object",
        "properties": {"quote": {"type": "string"}, "value": {"type": "string"}},
        "required": ["quote", "value"],
        "additionalProperties": False,
    }

    class Slots(response_model(shape)):  # type: ignore[misc]  # a class that is made
        """What the user's message changes, slot by slot."""

        @model_validator(mode="before")
        @classmethod
        def listed(cls, value: Any) -> Any:
            if not isinstance(value, dict) or "changes" in value:
                return value
            held = [(path, one) for path, one in value.items() if isinstance(one, dict)]
            return {"changes": [{"quote": one.get("quote"), "slot": path, **one} for path, one in held]}

        @classmethod
        def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
            return {
                "type": "object",
                "properties": {path: {"anyOf": [item, {"type": "null"}]} for path in shape.paths},
                "additionalProperties": False,
            }

    return Slots
