"""One French word for each idea, the course's own: in the labs, the reports, the command line and the pictures."""

import re
from pathlib import Path

import pytest

from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.phrases import PHRASES
from tests.words.catalogues import CATALOGUES

GLOSSARY = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"

# the word of the glossary: what is said elsewhere for the same idea, and is not said here
IDEAS = {
    "validation croisée": r"cross-?validation|contre-validation",
    "sur-apprentissage": r"surapprentissage|sur-?ajustement|overfitting",
    "écart-type": r"erreur standard|déviation standard|erreur-type",
    "classe de rejet": r"\brefus\b",
    "régression écrêtée": r"\bridge\b|régression d'arête|crête",
    "k-moyennes": r"k-means|k-moyenne\b",
    "contraste conservé": r"variance expliquée",
    "élagage": r"émondage|pruning",
    "donnée aberrante": r"outlier|valeur aberrante",
    "donnée manquante": r"valeur manquante|cellule manquante",
    "politique": r"stratégie",
    "récompense": r"\bgratification",
    "itération de la valeur": r"itération sur la valeur|itération des valeurs",
    "essai-erreur": r"essais et erreurs|essai et erreur",
    "vraisemblance": r"likelihood",
    "modèle bayésien naïf": r"naive bayes|bayes naïf",
    "descente de gradient, pas": r"learning rate",
    "recherche linéaire": r"line search",
    "degrés effectifs de liberté": r"degrees of freedom",
    "coalescence": r"clustering|partitionnement",
    "discriminateur": r"classificateur(?! quadratique)",
    "actualisation": r"escompte|rabais|facteur de remise",
    "Q-apprentissage": r"q-learning|apprentissage q\b",
}


def spoken():
    """Every French text, with where it is said."""
    for say in CATALOGUES.values():
        for key, words in say.phrases.items():
            yield str(key), words.fr
    for key, words in PHRASES.items():
        yield key, words.fr
    for name in IDS:
        this = lab(name)
        results = this.run(this.start(lang="fr"))
        for part in ("title", "question", "story", "formula", "answer"):
            yield f"{name}.{part}", this.say(part, results, "fr")
        for control in this.controls:
            yield f"{name}.{control.name}", control.label("fr")
            for words in (
                (getattr(control, "options", None) or {}).values()
                if not callable(getattr(control, "options", None))
                else ()
            ):
                yield f"{name}.{control.name}", words("fr")
        for exercise in this.exercises:
            for telling in (exercise.prompt, exercise.hint, exercise.why):
                yield f"{name} exercise", (telling if hasattr(telling, "fr") else telling(results)).fr
        yield f"{name}.code", "\n".join(re.findall(r"#.*|\"[^\"]*\"", this.script(this.start(), "fr")))


@pytest.fixture(scope="module")
def texts():
    return list(spoken())


def test_the_words_are_those_of_the_glossary():
    glossary = GLOSSARY.read_text(encoding="utf-8")
    for word in IDEAS:
        assert word in glossary, word


@pytest.mark.parametrize("word", IDEAS)
def test_one_word_for_one_idea(word, texts):
    other = re.compile(IDEAS[word], re.I)
    found = [
        (where, match[0])
        for where, text in texts
        for match in [other.search(re.sub(r"`[^`]*`|--\w+", "", text))]
        if match
    ]
    assert not found, f"say {word!r}"


@pytest.mark.parametrize("name", IDS)
def test_lines_to_take_away_speak_french(name):
    """Comments and printed words differ from the English ones; the code is the same."""
    this = lab(name)
    english, french = (this.script(this.start(), lang) for lang in ("en", "fr"))

    def bare(text):
        text = re.sub(r"  #.*|^#.*", "", text, flags=re.M)
        return re.sub(r'(?<=print\().*|, lang="fr"', "", text)

    assert bare(english) == bare(french) and (english != french or name == "covariance")
    for comment in re.findall(r"(?:^|  )# (.*)", english, flags=re.M):
        if re.search(r"[a-z]{3}", comment) and not re.fullmatch(r"[\w\s|()]*P\d p.*", comment):
            assert comment not in french, comment
