"""Files that survive a crash: atomic writes, artifacts with manifests, the ledger, locks."""
