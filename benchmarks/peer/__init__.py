"""scikit-learn's own tests, run with our classes in the place of theirs: what a user meets who changes the import."""
