"""The command `sonde compare`: what changed between two groups of runs, and how sure that is."""
