"""Programs that run a peer in an environment of its own, where this package is not installed.

Each module imports one peer and the standard library, and has a class `Driver`. `__main__` serves it: requests come in
as lines of JSON, answers go out as lines of JSON.
"""
