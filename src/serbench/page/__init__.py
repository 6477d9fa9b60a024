"""The report as a page: one file that opens from disk, asks no network, and lets people look for
themselves."""
