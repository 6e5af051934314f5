"""The command line: options in, one use case called, its answer rendered."""
