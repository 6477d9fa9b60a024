"""The report as a page: one file that opens from disk, needs no network, and can be searched and sorted."""
