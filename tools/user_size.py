"""What a user with 500 turns and 50 records takes in PostgreSQL, by table: python tools/user_size.py URL

URL is an empty database.
"""

import sys
from collections import Counter
from contextlib import closing

import psycopg

from uac import open_store
from uac_bench.bench_serve import fill_serve_store

USERS = 40


def table_sizes(url: str) -> Counter[str]:
    """Bytes of each table with its indexes; partitions are summed."""
    query = """SELECT relname, pg_total_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n
               ON n.oid = c.relnamespace WHERE nspname = 'uac' AND relkind = 'r'"""
    sizes: Counter[str] = Counter()
    with psycopg.connect(url) as connection:
        for name, size in connection.execute(query).fetchall():
            sizes[name.rstrip("0123456789").rstrip("_")] += size
    return sizes


def main(url: str) -> None:
    with closing(open_store(url)):
        before = table_sizes(url)
    fill_serve_store(url, USERS)
    grown = table_sizes(url) - before
    for name, size in grown.most_common():
        print(f"{name:<16} {size / USERS / 1000:8.1f} kB a user")
    print(f"{'all':<16} {grown.total() / USERS / 1000:8.1f} kB a user")


if __name__ == "__main__":
    main(sys.argv[1])
