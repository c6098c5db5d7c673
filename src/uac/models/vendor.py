"""A vendor's model, reached through pydantic-ai: one request, one reply.

This module needs the extra `models`; `uac.models` imports it only when a vendor's model is opened.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar, cast

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelRequestRejectedError, UserError
from pydantic_ai.messages import ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import Model as Client
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from uac.errors import NoModel, Unanswered
from uac.models.http_connections import open_http_client
from uac.models.prices import Price, price
from uac.models.requests_and_replies import Reply, Request, has_free_form_objects
from uac.models.retry import TIMEOUT, TRIES, CallFailure, call_with_retries
from uac.models.vendor_errors import call_failure_of, vendor_error_types, without_developer_advice
from uac.schema.safe_text import replace_lone_surrogates

__all__ = ["VendorModel", "openai_client_builder", "vendor_client_builder"]

THINKING_TOKENS = 8000
"""Added to the maximum length of a reply if the model reasons first: its reasoning counts as reply."""

MAX_REPLY_CHARACTERS = 1_000_000
"""A longer reply is refused and must not reach the log."""

Build = Callable[[httpx2.AsyncClient], "Client[Any]"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class VendorModel:
    """A remote model.

    Each attempt has its own event loop, so that calls work from any thread, even inside a running loop, and leave
    nothing open. Connections belong to the loop that opened them, so `build` makes a new client for each attempt.
    """

    name: str
    build: Build = field(repr=False)
    timeout: float = TIMEOUT
    tries: int = TRIES
    price: Price | None = None
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def ask(self, request: Request) -> Reply:
        attempt = partial(_run_in_own_loop, lambda: self._request_once(request))
        return self._parse_response(request, call_with_retries(attempt, self.tries, self.sleep))

    async def _request_once(self, request: Request) -> ModelResponse | CallFailure:
        key = ""
        try:
            async with open_http_client(self.timeout) as connections, self.build(connections) as client:
                key = str(getattr(getattr(client, "client", None), "api_key", None) or "")
                return await model_request(
                    client,
                    [ModelRequest(parts=[UserPromptPart(request.content)], instructions=request.prompt)],
                    model_settings=_request_settings(client, request, self.timeout),
                    model_request_parameters=_request_parameters(client, request),
                    instrument=False,
                )
        except vendor_error_types() as error:
            return call_failure_of(error, self.name, request, key)

    def _parse_response(self, request: Request, response: ModelResponse) -> Reply:
        text = replace_lone_surrogates(response.text or "")
        if response.finish_reason == "content_filter":
            refusal = (response.provider_details or {}).get("refusal")
            said = replace_lone_surrogates(refusal) if isinstance(refusal, str) else text
            raise Unanswered(
                f"{self.name} refused to answer (step {request.step}). Use another model.", reason="refused", text=said
            )
        if len(text) > MAX_REPLY_CHARACTERS:
            raise Unanswered(
                f"{self.name} gave {len(text)} characters (step {request.step}); at most {MAX_REPLY_CHARACTERS} fit.",
                reason="cut",
                text=text[:MAX_REPLY_CHARACTERS],
            )
        if response.finish_reason == "length":
            raise Unanswered(
                f"{self.name} was cut off at {response.usage.output_tokens} tokens (step {request.step}). Try another.",
                reason="cut",
                text=text,
            )
        if not text.strip():
            raise Unanswered(f"{self.name} gave an empty reply (step {request.step}). Try again.", reason="empty")
        sent_tokens, said_tokens = max(0, response.usage.input_tokens), max(0, response.usage.output_tokens)
        return Reply(
            text=text,
            model=self.name,
            input_tokens=sent_tokens,
            output_tokens=said_tokens,
            cost=price(
                self.name,
                sent_tokens,
                said_tokens,
                cached_tokens=max(0, response.usage.cache_read_tokens),
                listed=self.price,
            ),
        )


def vendor_client_builder(name: str, setting: str) -> Build:
    """The builder for a name of pydantic-ai, such as 'anthropic:claude-haiku-4-5'; NoModel says what is missing."""
    vendor = name.partition(":")[0]

    def build(connections: httpx2.AsyncClient) -> "Client[Any]":
        if vendor not in _TAKE_CONNECTIONS:
            return infer_model(name)
        made: Callable[..., Provider[Any]] = infer_provider_class(vendor)
        return infer_model(name, lambda _vendor: made(http_client=connections))

    try:
        infer_model(name)
    except (UserError, ImportError) as error:
        reason = without_developer_advice(str(error))
    except vendor_error_types() as error:
        reason = f"its client cannot be made ({type(error).__name__})"
    else:
        return build
    raise NoModel(f"{setting} is {name!r}: {reason}")


_TAKE_CONNECTIONS = frozenset({"openai", "openai-chat", "openai-responses", "anthropic"})
"""Vendors whose client accepts our connections. The others make their own, which is only slower."""


def openai_client_builder(name: str, url: str, key: str) -> Build:
    """The builder for a server with the OpenAI API; without a key, a placeholder is sent."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # The older name of that limit, the only one that all such servers accept.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)

    def build(connections: httpx2.AsyncClient) -> "Client[Any]":
        provider = OpenAICompatibleProvider(
            "server", base_url=url, api_key=key or None, http_client=connections, profile=profile
        )
        return OpenAIChatModel(name, provider=provider)

    return build


def _run_in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run in a new event loop; inside a running loop, in a new thread as well."""
    if not _is_in_event_loop():
        return _run_in_new_loop(work)
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(_run_in_new_loop, work).result()


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_new_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    # With its own factory, the runner does not change the thread's current loop.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work())


def _request_settings(client: "Client[Any]", request: Request, timeout: float) -> ModelSettings:
    """`request_timeout` covers the whole attempt, so that a slow stream is stopped too."""
    profile = cast("Mapping[str, object]", client.profile)
    thinks = profile.get("thinking_always_enabled") or profile.get("thinking_enabled_by_default")
    settings: dict[str, object] = {
        "max_tokens": request.reply_tokens + (THINKING_TOKENS if thinks else 0),
        "request_timeout": timeout,
    }
    if request.step != "ask" and "extra_headers" not in client.unsupported_settings:
        # Sent again by a worker that took over, it is the same request: gateways with such keys bill it once.
        settings["extra_headers"] = {"Idempotency-Key": f"uac-{request.id}"}
    if "max_retries" not in client.unsupported_settings:
        settings["max_retries"] = 0  # there is one retry policy, and it is ours
    if _accepts_temperature(profile):
        settings["temperature"] = 0.0
    if _is_client_class(client, "OpenAIResponsesModel"):
        settings["openai_store"] = False  # otherwise the vendor stores the user's text for a month
    return cast("ModelSettings", settings)


def _accepts_temperature(profile: Mapping[str, object]) -> bool:
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    efforts = profile.get("openai_reasoning_efforts")
    may_rest = "none" in efforts if isinstance(efforts, tuple | frozenset | set | list) else None
    if may_rest is None:
        may_rest = bool(profile.get("openai_supports_reasoning_effort_none"))
    return may_rest and not profile.get("thinking_enabled_by_default")


def _request_parameters(client: "Client[Any]", request: Request) -> ModelRequestParameters:
    """The schema as the vendor's structured output; else in the prompt, with the vendor's JSON mode if it has one.

    A schema with free-form objects is sent as not strict, where that is possible: strict mode would make each such
    object empty.
    """
    free = has_free_form_objects(request.schema)
    native, in_words = (
        ModelRequestParameters(
            output_mode=mode,
            output_object=OutputObjectDefinition(json_schema=request.schema, name=request.step, strict=strict),
        )
        for mode, strict in ((_NATIVE, False if free else None), (_IN_WORDS, None))
    )
    if not client.profile.get("supports_json_schema_output", False):
        return in_words
    if _is_client_class(client, "OpenAIChatModel") or _is_client_class(client, "OpenAIResponsesModel"):
        return native
    return in_words if free or not _is_schema_supported(client, native) else native


_NATIVE: Literal["native"] = "native"
_IN_WORDS: Literal["prompted"] = "prompted"


def _is_schema_supported(client: "Client[Any]", parameters: ModelRequestParameters) -> bool:
    """False if the schema exceeds the vendor's structured output: too many choices, or recursive."""
    try:
        client.prepare_request(None, parameters)
    except (UserError, ModelRequestRejectedError):
        return False
    return True


def _is_client_class(client: "Client[Any]", name: str) -> bool:
    """Checked by name, because importing the class would load a vendor's package that may not be needed."""
    return any(kind.__name__ == name for kind in type(client).__mro__)
