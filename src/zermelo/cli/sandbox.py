"""`zermelo sandbox`: the restrictions of untrusted programs on this machine."""

from __future__ import annotations

from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen


def sandbox(as_json: arguments.Json = False) -> None:
    """Show which restrictions hold on this machine for students' programs and agents, and what each keeps out.

    Starts a sandbox and tries each restriction in it: a read, a system call, a signal, an allocation, which must fail.
    """
    from zermelo.sandbox.restrictions import RESTRICTIONS, missing_restrictions, restrictions_in_force

    enforced = restrictions_in_force()
    missing = missing_restrictions(enforced)
    if as_json:
        restrictions = {
            name: {"in_force": name in enforced, "keeps_out": restriction.keeps_out}
            for name, restriction in RESTRICTIONS.items()
        }
        print_json({"restrictions": restrictions, "missing": missing})
        return
    rows = [("restriction", "in force", "keeps out")]
    for name, restriction in RESTRICTIONS.items():
        state = "yes" if name in enforced else "no" if name in missing else "root only"
        rows.append((restriction.label, state, restriction.keeps_out))
    screen.table(screen.console(), rows)
    print_line()
    if not missing:
        print_line("  all restrictions are in force")
        return
    print_line("  not in force on this machine, so that programs can")
    for name in missing:
        print_line(f"    {RESTRICTIONS[name].without} ({RESTRICTIONS[name].label})")
    print_line("  --require-sandbox refuses to run programs here")
