"""How a table was read, in English and French."""

from __future__ import annotations

from epee.words.catalogue import Catalogue

# key: (English, French)
WORDS: dict[str, tuple[str, str]] = {
    "no_values": ("no values", "aucune valeur"),
    "zero_one": ("0 and 1 are false and true", "0 et 1 valent faux et vrai"),
    "zeros": (
        "leading zeros: read as labels, not as numbers",
        "des zéros en tête : lue comme des étiquettes, non comme des nombres",
    ),
    "mark_or_thousand": (
        "{cell!r} may be a decimal or a thousand; kept as text. Say which with decimal=',' or decimal='.'",
        "{cell!r} peut être un décimal ou un millier ; gardée comme texte. Préciser decimal=',' ou decimal='.'",
    ),
    "too_long": (
        "whole numbers above 2^53: their last digits are lost",
        "des entiers au-delà de 2^53 : leurs derniers chiffres sont perdus",
    ),
    "other_point": (
        "{cell!r} is read with a decimal point, as other columns are not",
        "{cell!r} est lu avec un point décimal, à la différence des autres colonnes",
    ),
    "comma": ("decimal comma", "virgule décimale"),
    "thousands": ("thousands separated by {mark!r}", "milliers séparés par {mark!r}"),
    "day_first": ("read as day first; the cells do not tell", "lue jour d'abord ; les données ne le disent pas"),
    "month_first": ("read as month first; the cells do not tell", "lue mois d'abord ; les données ne le disent pas"),
    "clock": ("with a time of day", "avec l'heure du jour"),
    "column": ("column {names}: {note}", "colonne {names} : {note}"),
    "columns": ("columns {names}: {note}", "colonnes {names} : {note}"),
    "not_utf8": (
        "{label} is not UTF-8; it is read as cp1252 (Western Windows). If letters look wrong, say encoding=... or save it as UTF-8.",
        "{label} n'est pas en UTF-8 : lu comme cp1252 (Windows occidental). Si des lettres sont fausses, l'enregistrer en UTF-8.",
    ),
    "no_header": (
        "{label} has no line of names: the columns are called {name}, ...",
        "{label} n'a pas de ligne de noms : les colonnes s'appellent {name}, ...",
    ),
    "is_parquet": (
        "{label} is a Parquet file, whatever its name says.",
        "{label} est un fichier Parquet, quoi qu'en dise son nom.",
    ),
    "long_column": (
        "column {name!r} holds whole numbers above 2^53: their last digits are lost. Drop it if it is an identifier.",
        "colonne {name!r} : des entiers au-delà de 2^53, dont les derniers chiffres sont perdus. L'écarter si c'est un identifiant.",
    ),
}

say = Catalogue(WORDS)
