"""The protocol around a dispatcher: tools, resources and notifications, over any transport of the package `mcp`.

The dispatcher is synchronous. Each call runs in a worker thread, one at a time, so that the event loop stays free.
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from uac import __version__
from uac.errors import UacError
from uac.interfaces.agent_tools.dispatcher import Dispatcher
from uac.interfaces.agent_tools.resources import DOMAIN, resource_description
from uac.interfaces.agent_tools.tool_catalog import TOOLS, Tool, tool_output_schema
from uac.memory.memory import Memory
from uac.text.memory_block import harmless

__all__ = ["EVERY", "build_server", "memory_server", "serve_stdio"]

Context = ServerRequestContext[Any, Any]
Given = TypeVar("Given")

EVERY = 30.0
SESSION_HEADER = "mcp-session-id"
ONLY = "only"  # the one session of a pipe
MOST_SUBSCRIBED = 1000

logger = logging.getLogger(__name__)


def build_server(dispatcher: Dispatcher, *, every: float = EVERY) -> Server[Any]:
    """The server of a dispatcher. Every `every` seconds it looks for changes by others, and lets time pass."""
    serving = _McpServing(dispatcher, every)
    return Server(
        "user-as-code",
        version=__version__,
        title="Memory of one user",
        instructions=dispatcher.instructions,
        lifespan=serving.lifespan,
        on_list_tools=serving.list_tools,
        on_call_tool=serving.call_tool,
        on_list_resources=serving.list_resources,
        on_list_resource_templates=serving.list_templates,
        on_read_resource=serving.read_resource,
        on_subscribe_resource=serving.subscribe,
        on_unsubscribe_resource=serving.unsubscribe,
        on_subscriptions_listen=ListenHandler(serving.bus),
        get_tool_input_schema={tool.name: dispatcher.input_schema(tool) for tool in TOOLS}.get,
    )


def memory_server(
    memory: Memory,
    clock: Callable[[], datetime],
    *,
    every: float = EVERY,
    groups: Mapping[str, Memory] | None = None,
) -> Server[Any]:
    """The server of one memory, and of the groups of its user; `clock` gives the time of a call."""
    return build_server(Dispatcher(memory, clock, groups), every=every)


def serve_stdio(memory: Memory, clock: Callable[[], datetime], *, groups: Mapping[str, Memory] | None = None) -> None:
    """Serve on standard input and output until the client closes them. Nothing else is written to standard output."""
    server = memory_server(memory, clock, groups=groups)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


class _McpServing:
    """The handlers of one server, and the subscribers to its resources."""

    def __init__(self, dispatcher: Dispatcher, every: float) -> None:
        self._dispatcher = dispatcher
        self._every = every
        self._one = anyio.CapacityLimiter(1)
        self._listed = [_tool_description(tool, dispatcher.input_schema(tool)) for tool in TOOLS]
        self._subscribed: dict[tuple[str, str], ServerSession] = {}
        self.bus = InMemorySubscriptionBus()

    def lifespan(self, _server: Server[Any]) -> AbstractAsyncContextManager[dict[str, Any]]:
        return self._watch_in_background()

    @asynccontextmanager
    async def _watch_in_background(self) -> AsyncIterator[dict[str, Any]]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._poll_for_changes)
            yield {}
            tasks.cancel_scope.cancel()

    async def _poll_for_changes(self) -> None:
        while True:
            await anyio.sleep(self._every)
            await self._notify_changes()

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._listed)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        called = await self._run_in_thread(
            partial(self._dispatcher.call_tool, params.name, params.arguments or {}, _session_id(context))
        )
        await self._notify_changes()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=called.text)],
            structured_content=called.content,
            is_error=called.is_error,
        )

    async def list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        uris = await self._run_in_thread(self._dispatcher.resource_uris)
        return types.ListResourcesResult(resources=[_resource(uri) for uri in uris])

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        domain = types.ResourceTemplate(
            name="domain",
            uri_template=f"{DOMAIN}{{name}}",
            description="The types and records of a domain, such as travel.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[domain])

    async def read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await self._run_in_thread(partial(self._dispatcher.read_resource, uri))
        except UacError as error:
            raise MCPError(types.INTERNAL_ERROR, harmless(f"{type(error).__name__}: {error}")) from None
        if text is None:
            raise MCPError(types.INVALID_PARAMS, f"No resource {uri}. Use one that resources/list names.")
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)]
        )

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """The subscription of clients before 2026-07-28; later ones listen on the bus."""
        if len(self._subscribed) >= MOST_SUBSCRIBED:
            raise MCPError(
                types.INVALID_REQUEST, f"There are {MOST_SUBSCRIBED} subscriptions already. Unsubscribe from one first."
            )
        self._subscribed[_session_id(context) or ONLY, str(params.uri)] = context.session
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.pop((_session_id(context) or ONLY, str(params.uri)), None)
        return types.EmptyResult()

    async def _notify_changes(self) -> None:
        """Notify subscribers of changed resources."""
        try:
            changed = await self._run_in_thread(self._dispatcher.changed_resources)
        except UacError as error:  # the store may be back the next time
            logger.warning("what changed cannot be seen: %s", error)
            return
        for uri in changed:
            await self.bus.publish(ResourceUpdated(uri=uri))
            for key in [key for key in self._subscribed if key[1] == uri]:
                await self._notify_subscriber(key)

    async def _notify_subscriber(self, key: tuple[str, str]) -> None:
        try:
            await self._subscribed[key].send_resource_updated(key[1])
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):  # the client is gone
            self._subscribed.pop(key, None)

    async def _run_in_thread(self, work: Callable[[], Given]) -> Given:
        return await anyio.to_thread.run_sync(work, limiter=self._one)


def _session_id(context: Context) -> str | None:
    """The session of a call; None where the protocol has no sessions, so earlier calls are unknown."""
    if context.request is None:
        return ONLY
    found: str | None = context.request.headers.get(SESSION_HEADER)
    return found


def _tool_description(tool: Tool, input_schema: dict[str, Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema,
        output_schema=tool_output_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_reading,
            destructive_hint=tool.is_destroying,
            idempotent_hint=tool.is_reading or tool.is_repeatable,
            open_world_hint=False,
        ),
    )


def _resource(uri: str) -> types.Resource:
    return types.Resource(
        uri=uri, name=uri.removeprefix("uac://"), description=resource_description(uri), mime_type="text/plain"
    )
