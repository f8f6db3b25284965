"""A client of the web page's application, without a socket."""

import warnings
from contextlib import contextmanager


@contextmanager
def web_client(settings, operations=None, host="127.0.0.1"):
    """A client that behaves as a page of the server: its own Host, no Origin. `operations` replace those of the API."""
    from zermelo.web import app

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Starlette would like another package than httpx
        from starlette.testclient import TestClient
    made = app.make_app(settings) if operations is None else app.make_app(settings, operations)
    address = f"{host}:{settings.port}"

    class Client(TestClient):
        def websocket_connect(self, url, *arguments, **options):
            return super().websocket_connect(f"ws://{address}{url}", *arguments, **options)

    with Client(made, base_url=f"http://{address}", raise_server_exceptions=False) as opened:
        yield opened
