"""The language is a context: two threads with two languages do not meet, and workers speak that of whoever asked."""

import threading
import warnings

import pytest

import epee
from epee.cli import phrases
from epee.engines.local import in_order
from epee.errors import DataWarning, SearchWarning, TableWarning
from epee.settings import options
from epee.table.doors import open_source
from epee.table.prefetch import ahead
from epee.words.catalogue import Catalogue
from epee.words.numbers import figures

say = Catalogue({"hello": ("good day", "bonjour")})


def test_two_threads_two_languages():
    meet, heard = threading.Barrier(2, timeout=20), {}

    def speak(lang):
        with options(language=lang):
            meet.wait()  # both are inside now
            heard[lang] = [say("hello"), figures(0.5)]
            meet.wait()

    threads = [threading.Thread(target=speak, args=(lang,)) for lang in ("en", "fr")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {"en": ["good day", "0.5"], "fr": ["bonjour", "0,5"]} and options.language == "en"


def test_the_process_has_a_default_that_a_context_hides():
    options.language = "fr"
    assert say("hello") == "bonjour"
    with options(language="en"):
        options.language = "fr"
        assert say("hello") == "good day"
        with options(threads=1):  # other options leave the language alone
            assert say("hello") == "good day"
    assert say("hello") == "bonjour"
    with pytest.raises(ValueError, match="épée speaks"), options(language="de"):
        pass


def test_workers_speak_the_language_of_who_asked():
    with options(language="fr", threads=2):
        assert list(in_order(lambda _: say("hello"), range(6))) == ["bonjour"] * 6
        assert list(ahead(lambda: (say("hello") for _ in range(2)))) == ["bonjour"] * 2


def test_two_runs_of_the_main_job_at_once():
    table, found = epee.samples.load("iris"), {}

    def run(lang):
        found[lang] = epee.learn(table, "species", predictors=["lda"], folds=3, lang=lang).facts["verdict"]

    threads = [threading.Thread(target=run, args=(lang,)) for lang in ("en", "fr")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found["en"][0].startswith("Chosen") and found["fr"][0].startswith("Choisi")


@pytest.mark.parametrize(
    ("arguments", "language"),
    [(["learn", "--lang=fr"], "fr"), (["--lang", "fr", "--lang", "en"], "en"), (["x", "--", "--lang=fr"], "en")],
)
def test_the_command_line_speaks_for_itself_only(arguments, language):
    with phrases.spoken(arguments):
        assert options.language == language
    assert options.language == "en"


def test_what_is_said_of_a_table_is_a_class_of_warnings(tmp_path):
    assert issubclass(TableWarning, DataWarning) and not issubclass(SearchWarning, DataWarning)
    path = tmp_path / "old.csv"
    rows = "".join(f"été;{i % 7},5;{'ab'[i % 2]}\n" for i in range(60))
    path.write_bytes(f"saison;x;y\n{rows}".encode("cp1252"))
    with pytest.warns(TableWarning, match="is not UTF-8"):
        open_source(path).profile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned = epee.learn(path, "y", predictors=["lda"], folds=3)
    assert any("is not UTF-8" in note for note in learned.facts["notes"])
