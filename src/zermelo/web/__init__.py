"""The web page and its JSON API: a server for the user's own machine (`zermelo serve`)."""
