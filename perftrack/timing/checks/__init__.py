"""Checks of the measuring environment, one module per noun; checkup.py runs them. Standard library only."""
