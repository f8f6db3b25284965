"""Install Chromium for the tests with apt, where this user can; says in one line what it did, and never fails.

`make test` and `make long` run it once. Only root, on a system with apt and a network, gets a browser this way.
Downloads are given up after a minute; what has been downloaded is then installed without a limit, because a killed dpkg
leaves the system broken. Elsewhere install a browser by hand, or name one in ZERMELO_CHROMIUM.
"""

import os
import shutil
import subprocess
import sys
import time

from browsers import installed_browser

DOWNLOAD_SECONDS = 60
PACKAGES = ("chromium", "fonts-dejavu-core")  # without a font, pages have no text


def main():
    began = time.monotonic()
    if path := installed_browser():
        return say(f"found {path}")
    if shutil.which("apt-get") is None:
        return say("none found, and there is no apt-get to install it; tests in a browser are skipped")
    if os.geteuid() != 0:
        return say("none found, and only root can install it; tests in a browser are skipped")
    install = ("install", *PACKAGES)
    for arguments in (("update",), (*install, "--download-only"), install):
        left = None if arguments == install else DOWNLOAD_SECONDS - (time.monotonic() - began)
        if (problem := apt(arguments, left)) is not None:
            return say(f"not installed ({problem}); tests in a browser are skipped")
    path = installed_browser()
    return say(f"installed {path} in {time.monotonic() - began:.0f} s" if path else "not installed")


def apt(arguments, seconds):
    """Run apt-get; return what went wrong, or None."""
    options = ["-qy", "--no-install-recommends", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"]
    try:
        done = subprocess.run(
            ["apt-get", *options, *arguments],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return f"apt-get {arguments[0]} took more than {DOWNLOAD_SECONDS} s"
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if line.startswith("E:")] or done.stderr.splitlines()[-1:]
    return " ".join(lines[:1]) or f"apt-get {arguments[0]} exited with code {done.returncode}"


def say(text):
    print(f"- Chromium for the tests: {text}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # the tests can run without a browser
        say(f"not installed ({type(error).__name__}: {error})")
    sys.exit(0)
