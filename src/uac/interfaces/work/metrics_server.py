"""The state of all queues over HTTP, for Prometheus, from a worker. No user's id is in it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from uac.errors import Refused, UacError
from uac.interfaces.work.job_client import JobClient, prometheus_text

__all__ = ["serve_metrics"]


def serve_metrics(url: str, host: str, port: int) -> str:
    """Serve /metrics in a thread that ends with the process. Returns its address."""
    client = JobClient(url)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404)
                return
            try:
                body = prometheus_text(client.state()).encode()
            except UacError:
                self.send_error(503)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
            """Nothing: a scrape is no news."""

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        raise Refused(f"--metrics: {host}:{port} cannot be used: {error.strerror}. Choose another.") from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="uac-metrics", daemon=True).start()
    return f"http://{host}:{server.server_address[1]}/metrics"
