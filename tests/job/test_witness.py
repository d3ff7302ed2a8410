"""Who watches a contest hears every line, and may end it with what is done."""

import pytest

import epee
from epee.job.witness import Stopped, Witness, watched


class Heard(Witness):
    def __init__(self, last=None, at_once=False):
        self.last, self.at_once, self.lines, self.wanted = last, at_once, [], []

    def begins(self, contest, candidates):
        self.wanted = [c.key for c in candidates]
        if self.at_once:
            self.stopping = True

    def entered(self, entry):
        self.lines.append(entry.candidate.key)
        if entry.candidate.key == self.last:
            self.stop()


def learn(**more):
    return epee.learn(epee.samples.load("iris"), "species", predictors=["lda", "tree", "neighbours"], **more)


def test_every_line_is_heard_and_nothing_changes():
    alone = learn()
    with watched(Heard()) as heard:
        seen = learn()
    assert sorted(heard.lines) == sorted(line["key"] for line in seen.facts["leaderboard"]) == sorted(heard.wanted)
    assert [line["value"] for line in seen.facts["leaderboard"]] == [
        line["value"] for line in alone.facts["leaderboard"]
    ]


def test_a_stop_keeps_what_is_done_and_names_the_rest():
    with watched(Heard(last="lda")):
        learned = learn()
    assert [line["key"] for line in learned.facts["leaderboard"]] == ["baseline", "lda"]
    assert {d["why"] for d in learned.facts["dropped"]} == {"the run was stopped"} and len(
        learned.facts["dropped"]
    ) == 2
    assert learned.predict(epee.samples.load("iris")).shape == (150,)
    again = eval(learned.facts["redo"]["python"].replace("epee.learn(table", "epee.learn(epee.samples.load('iris')"))
    assert [line["value"] for line in again.facts["leaderboard"]] == [
        line["value"] for line in learned.facts["leaderboard"]
    ]


def test_the_baseline_runs_whatever_is_stopped():
    with watched(Heard(at_once=True)):
        assert [line["key"] for line in learn(lang="fr").facts["leaderboard"]] == ["baseline"]


def test_work_is_ended_only_where_it_may_be():
    witness = Witness()
    witness.stop()
    assert witness.stopping
    with pytest.raises(Stopped), witness.at_work():
        witness.stop()
