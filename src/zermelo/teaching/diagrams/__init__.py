"""Diagrams of game trees and of their search."""
