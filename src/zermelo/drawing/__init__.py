"""Pictures of trees and of what a search did on them."""
