"""River hold'em: the last betting round of heads-up limit hold'em, with any board, ranges, pot and bet."""

from zermelo.games.river.rules import River as River
