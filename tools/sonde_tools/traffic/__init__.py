"""What counters saw of fabric and memory over time: the report's pictures and tables of `counter` records."""
