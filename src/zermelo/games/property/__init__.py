"""The property game for two: rules of Monopoly, squares and cards, notation, evaluations, picture."""

from zermelo.games.property.rules import Property as Property
