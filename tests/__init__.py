"""A package, so that it is found before a package of this name that a dependency installs."""
