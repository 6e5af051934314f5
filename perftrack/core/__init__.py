"""Pure core: values in, values out. No files, clock, environment or processes."""
