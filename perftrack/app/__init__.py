"""Use cases: one module each. They take protocols, return values and print nothing."""
