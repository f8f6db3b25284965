"""The web page in a browser: a server as a process of its own; `browsers.watched_pages` opens its pages."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress


class RunningServer:
    """`zermelo serve` on a free port; `start` again after `kill` keeps its data folder and its port."""

    def __init__(self, data_dir, *arguments):
        self.command = [sys.executable, "-m", "zermelo", "serve", *arguments, "--data-dir", str(data_dir)]
        self.port = "0"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.command, "--port", self.port], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if found := re.search(r"(http://\S+:(\d+))/", line):
                self.url, self.port = found[1], found[2]
                return
        self.process.wait()
        raise RuntimeError("".join(lines))

    def kill(self):
        """End the server as a power failure would."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """End the server as Ctrl-C does."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.kill()


@contextmanager
def running_server(data_dir, *arguments):
    """A server with these arguments of `zermelo serve`."""
    server = RunningServer(data_dir, *arguments)
    try:
        yield server
    finally:
        server.stop()
