"""How fluid the workbench stays in a real browser."""
