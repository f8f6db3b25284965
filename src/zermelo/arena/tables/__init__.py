"""Evaluation of finished games: standings, ratings, charts and league pages."""
