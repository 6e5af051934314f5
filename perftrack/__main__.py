"""`python -m perftrack`, the same as the `perftrack` command."""

from perftrack.cli.main import main

main()
