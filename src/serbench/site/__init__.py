"""The documentation site: pages made of sources, and the check of links. ``mkdocs.yml`` is its outline."""
