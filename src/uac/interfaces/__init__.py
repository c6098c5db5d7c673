"""The doors to a memory: command line, HTTP, inspector, MCP, Python client, mem0 facade, adapters for frameworks.

Comes in: arguments, requests and files from outside. Goes out: text, JSON and pages. Each door is a thin edge over
`uac.memory`; what they share is in `service` and `views`. `old_paths` keeps import paths of earlier versions working.
"""

__all__: list[str] = []
