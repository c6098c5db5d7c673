"""Setting up: the configuration files of agents, and the models that a machine can reach.

In: what is on this machine (files, settings, ports). Out: one change of one file, which can be undone, or the settings
that choose a model. `agents.py` knows the agents, `json_edits.py` and `toml_edits.py` change one entry of a file and
keep the rest, `config_files.py` writes and undoes, `found_models.py` looks for keys and local servers.
"""

__all__: list[str] = []
