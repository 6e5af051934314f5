"""Change points: where a series stepped or drifted, in which range of commits, and how sure that is."""
