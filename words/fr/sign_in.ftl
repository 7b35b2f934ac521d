# See words/README.md.
