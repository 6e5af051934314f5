"""Results of other tools, one module per foreign format."""
