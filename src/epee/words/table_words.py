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
    "thousands_here": (
        "{cell!r} is read as {value}, with a comma between thousands; if it is a decimal comma, say decimal=','",
        "{cell!r} est lu comme {value}, la virgule séparant les milliers ; si c'est une virgule décimale, préciser decimal=','",
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
    "day_first": (
        "read as day first; the cells do not tell. If the month is first, say --type COLUMN=date:mdy",
        "lue jour d'abord ; les données ne le disent pas. Si le mois vient d'abord, préciser --type COLONNE=date:mdy",
    ),
    "month_first": (
        "read as month first; the cells do not tell. If the day is first, say --type COLUMN=date:dmy",
        "lue mois d'abord ; les données ne le disent pas. Si le jour vient d'abord, préciser --type COLONNE=date:dmy",
    ),
    "dressed": (
        "signs beside the digits are taken off: {cell!r} is {value}. To keep the texts, say --type COLUMN=category",
        "les signes autour des chiffres sont ôtés : {cell!r} vaut {value}. Pour garder les textes, préciser --type COLONNE=category",
    ),
    "two_dresses": (
        "numbers with different signs, {first!r} and {second!r}: read as texts. Write all of them alike to have numbers",
        "des nombres aux signes différents, {first!r} et {second!r} : lus comme des textes. Les écrire tous de même pour avoir des nombres",
    ),
    "pairs": ("by its sparse numbers", "par ses nombres creux"),
    "stays_sparse": (
        "{label} has {columns} {columns:column|columns}: they stay sparse, in one column {name!r} of places and numbers",
        "{label} a {columns} {columns:colonne|colonnes} : elles restent creuses, dans une seule colonne {name!r} de places et de nombres",
    ),
    "words": ("by its words", "par ses mots"),
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
    "is_format": ("{label} is {what}, whatever its name says.", "{label} est {what}, quoi qu'en dise son nom."),
    "format_parquet": ("a Parquet file", "un fichier Parquet"),
    "format_arrow": ("an Arrow file", "un fichier Arrow"),
    "format_feather": ("a Feather file", "un fichier Feather"),
    "format_sqlite": ("an SQLite file", "un fichier SQLite"),
    "format_duckdb": ("a DuckDB file", "un fichier DuckDB"),
    "format_excel": ("an Excel workbook", "un classeur Excel"),
    "format_json": ("a JSON file", "un fichier JSON"),
    "format_arff": ("an ARFF file", "un fichier ARFF"),
    "format_text": ("a text file", "un fichier texte"),
    "format_zip": ("a zip archive", "une archive zip"),
    "format_svmlight": ("an svmlight file", "un fichier svmlight"),
    "mixed_cells": ("cells of several types: read as texts", "des cellules de plusieurs types : lues comme des textes"),
    "error_cells": ("{cells}: read as missing", "{cells} : lues comme manquantes"),
    "long_column": (
        "column {name!r} holds whole numbers above 2^53: their last digits are lost. Drop it if it is an identifier.",
        "colonne {name!r} : des entiers au-delà de 2^53, dont les derniers chiffres sont perdus. L'écarter si c'est un identifiant.",
    ),
}

say = Catalogue(WORDS)
