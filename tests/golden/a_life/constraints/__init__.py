"""Constraints over the domains: none yet."""
