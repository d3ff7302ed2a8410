"""All that épée says: the catalogues of its rooms, by name."""

from epee.cli import lab_command, open_command, phrases
from epee.figures import mdp
from epee.words import (
    cluster_words,
    decision_words,
    figure_words,
    finding_words,
    job_words,
    loss_words,
    progress_words,
    regression_words,
    report_words,
    risk_words,
    signal_words,
    table_words,
    tree_words,
    workbench_words,
)  # fmt: skip

CATALOGUES = {
    "cluster": cluster_words.say, "decision": decision_words.say, "job": job_words.say, "regression": regression_words.say,
    "report": report_words.say, "risk": risk_words.say, "signal": signal_words.say, "table": table_words.say,
    "tree": tree_words.say, "figures": figure_words.say, "progress": progress_words.say,
    "titles": finding_words.titles,
    "findings": finding_words.sentences, "losses": loss_words.say,
    "command line": phrases.say, "lab command": lab_command.words, "open command": open_command.words, "processes": mdp.say,
    "workbench": workbench_words.say,
}  # fmt: skip
