"""Interactive pages: one HTML file each, with the JavaScript modules of `scripts/` inlined."""
