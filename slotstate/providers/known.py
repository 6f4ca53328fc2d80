"""Providers: which mode suits each, what it needs, and how its calls are bounded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from slotstate.errors import ExtractorError, InputError, MissingExtra, SlotstateError, near

MODES: Final = ("TOOLS", "JSON_SCHEMA", "JSON", "MD_JSON", "RESPONSES_TOOLS")
"""Modes by the names that instructor gives them. A mode of a provider's own is passed as instructor's enum."""


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of a provider.

    `keys` are the environment variables of which one must hold the key; `timeout` says whether its calls take one.
    """

    mode: str = "TOOLS"
    keys: tuple[str, ...] = ()
    package: str = "openai"
    timeout: bool = True


PROVIDERS: Final[Mapping[str, Provider]] = {
    # Tool calls are what these were trained on for structured answers, and what instructor tests first.
    "openai": Provider(keys=("OPENAI_API_KEY",)),
    "azure_openai": Provider(keys=("AZURE_OPENAI_API_KEY",)),
    "anthropic": Provider(keys=("ANTHROPIC_API_KEY",), package="anthropic"),
    "deepseek": Provider(keys=("DEEPSEEK_API_KEY",)),
    "together": Provider(keys=("TOGETHER_API_KEY",)),
    "anyscale": Provider(keys=("ANYSCALE_API_KEY",)),
    "databricks": Provider(keys=("DATABRICKS_TOKEN", "DATABRICKS_API_KEY")),
    "groq": Provider(keys=("GROQ_API_KEY",), package="groq"),
    "cerebras": Provider(keys=("CEREBRAS_API_KEY",), package="cerebras.cloud.sdk"),
    "fireworks": Provider(keys=("FIREWORKS_API_KEY",), package="fireworks", timeout=False),
    "google": Provider(keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), package="google.genai", timeout=False),
    "gemini": Provider(keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), package="google.generativeai", timeout=False),
    "generative-ai": Provider(keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), package="google.genai", timeout=False),
    "vertexai": Provider(package="vertexai", timeout=False),
    "mistral": Provider(keys=("MISTRAL_API_KEY",), package="mistralai", timeout=False),
    "cohere": Provider(keys=("CO_API_KEY", "COHERE_API_KEY"), package="cohere", timeout=False),
    "writer": Provider(keys=("WRITER_API_KEY",), package="writerai"),
    "bedrock": Provider(package="boto3", timeout=False),
    "xai": Provider(keys=("XAI_API_KEY",), package="xai_sdk", timeout=False),
    "litellm": Provider(package="litellm"),
    # Routes to models of all kinds: a schema is enforced for each, tools are not offered by all.
    "openrouter": Provider("JSON_SCHEMA", keys=("OPENROUTER_API_KEY",)),
    # Small models on llama.cpp: a grammar enforces the schema; with tools they fail often (measured).
    "ollama": Provider("JSON_SCHEMA"),
    # Offers no tools.
    "perplexity": Provider("MD_JSON", keys=("PERPLEXITY_API_KEY",)),
}
"""By the names that `instructor.from_provider` takes."""

_LOCAL: Final = re.compile(r"^(localhost|.*\.local|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1|10\..*|192\.168\..*)$")
_THINKS: Final = re.compile(r"^(o\d|gpt-5(?!.*chat))")
"""OpenAI's models that think first: they take no temperature, and their thoughts count as output."""


class MissingPackage(MissingExtra):
    """A provider's package is needed and not installed."""

    def __init__(self, what: str, command: str) -> None:
        SlotstateError.__init__(self, f"{what} is not installed; install it with: {command}")


def parse_provider(name: str) -> tuple[str, str]:
    """The provider and the model in `PROVIDER/MODEL`. Raises InputError."""
    provider, _, model = name.strip().partition("/")
    if not provider or not model.strip():
        raise InputError(f"the model is given as PROVIDER/MODEL, for example openai/gpt-5-mini, not {name!r}")
    if provider not in PROVIDERS:
        raise InputError(f"unknown provider {provider!r}{near(provider, PROVIDERS)}")
    return provider, model


def check_provider(name: str, options: Mapping[str, Any]) -> None:
    """Raise MissingPackage or ExtractorError when a provider cannot work for want of its package or key."""
    known = PROVIDERS[name]
    root = known.package.split(".", 1)[0]
    if find_spec(root) is None or (root != known.package and find_spec(known.package) is None):
        raise MissingPackage(f"{known.package}, which {name} needs,", f"pip install {_distribution(known.package)}")
    if not known.keys or options.get("api_key") or options.get("vertexai") or is_redirected(name, options):
        return
    if not any(os.environ.get(key) for key in known.keys):
        raise ExtractorError(f"{name} needs a key: set {' or '.join(known.keys)}, or pass extra={{'api_key': …}}")


def _distribution(package: str) -> str:
    names = {
        "google.genai": "google-genai",
        "google.generativeai": "google-generativeai",
        "vertexai": "google-cloud-aiplatform",
        "cerebras.cloud.sdk": "cerebras-cloud-sdk",
        "fireworks": "fireworks-ai",
        "writerai": "writer-sdk",
        "xai_sdk": "xai-sdk",
    }
    return names.get(package, package)


def is_redirected(provider: str, options: Mapping[str, Any]) -> bool:
    """Whether calls go to another server than the provider's, which need not want a key."""
    return provider == "openai" and bool(options.get("base_url") or os.environ.get("OPENAI_BASE_URL"))


def mode_for(provider: str, base_url: str | None) -> str:
    """The mode for a provider, or for the OpenAI-compatible server at `base_url`.

    One nearby is most likely llama.cpp, vLLM or the like, which enforce a schema whatever the model.
    """
    host = urlsplit(base_url).hostname if base_url else None
    return "JSON_SCHEMA" if host and _LOCAL.match(host) else PROVIDERS[provider].mode


def check_mode(mode: Any) -> Any:
    """`mode` as it was given, a name in capitals. Raises InputError."""
    if mode is None or not isinstance(mode, str):
        return mode
    if mode.upper() not in MODES:
        raise InputError(f"unknown mode {mode!r}{near(mode.upper(), MODES)}")
    return mode.upper()


def sampling(
    provider: str, model: str | None, temperature: float | None, max_tokens: int | None, usual: int = 1_024
) -> dict[str, Any]:
    """The parameters that make the model's answer short and repeatable, in the words of its provider. `usual` is the
    longest answer where no `max_tokens` were asked for.
    """
    if provider in {"openai", "azure_openai"} and model is not None and _THINKS.match(model):
        return {"max_completion_tokens": max_tokens or 8_192}
    chosen: dict[str, Any] = {"max_tokens": max_tokens or usual}
    if temperature is not None:
        chosen["temperature"] = temperature
    return chosen
