"""The doors to a memory: command line, HTTP service, inspector, MCP server, Python client and a mem0 facade.

Comes in: arguments, requests and files from outside. Goes out: text, JSON and pages. Each door is a thin edge over
`uac.memory`; what they share is in `service` and `views`. `old_paths` keeps import paths of earlier versions working.
"""

__all__: list[str] = []
