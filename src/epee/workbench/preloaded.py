"""Imported by the process that sessions are forked from: what they need is then loaded once."""

from epee.workbench.worker import prepare

prepare()
