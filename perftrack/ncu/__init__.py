"""Nsight Compute: reading its files, running it, and saying what a launch spent its time on."""
