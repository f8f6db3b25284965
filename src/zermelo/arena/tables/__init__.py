"""What the games say: tables, ratings, tests, charts, pages."""
