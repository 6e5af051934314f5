"""The search for a regressing commit: a state machine over a posterior, without git or a device."""
