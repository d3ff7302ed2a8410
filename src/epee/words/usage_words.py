"""What the parser of the command line says, in French: wrong uses, and the words around a help.

The parser is Typer's, whose sentences are English in every locale and differ between its versions; all that our commands can meet are here.
"""

from __future__ import annotations

import re
from functools import cache

from epee.words.fault_words import compiled

USAGE = {
    "No such option: {}": "option inconnue : {}",
    "No such option: {} (Possible options: {})": "option inconnue : {} (options possibles : {})",
    "No such option: {} Did you mean {}?": "option inconnue : {} ; vouliez-vous dire {} ?",
    "No such command {}": "commande inconnue : {}",
    "Missing command": "il manque la commande",
    "Missing argument {}": "il manque l'argument {}",
    "Missing option {}": "il manque l'option {}",
    "Got unexpected extra argument(s) ({})": "arguments de trop ({})",
    "Got unexpected extra argument ({})": "argument de trop ({})",
    "Got unexpected extra arguments ({})": "arguments de trop ({})",
    "Option {} requires an argument": "l'option {} demande une valeur",
    "Option {} requires {} arguments": "l'option {} demande {} valeurs",
    "Option {} does not take a value": "l'option {} ne prend pas de valeur",
    "Invalid value for {}: {}": "valeur refusée pour {} : {}",
    "Invalid value: {}": "valeur refusée : {}",
    "Input should be a valid integer, unable to parse string as an integer": "il faut un nombre entier",
    "Input should be a valid number, unable to parse string as a number": "il faut un nombre",
    "Input should be greater than or equal to {}": "il faut au moins {}",
    "Input should be less than or equal to {}": "il faut au plus {}",
    "{} is not a valid integer": "{} n'est pas un nombre entier",
    "{} is not a valid float": "{} n'est pas un nombre",
    "{} is not in the range {}": "{} n'est pas dans l'intervalle {}",
}  # fmt: skip
HELP = {  # words may be parted by a line's end
    "Usage: ": "Usage : ",
    "Arguments:\n": "Arguments :\n",
    "Options:\n": "Options :\n",
    "Commands:\n": "Commandes :\n",
    "COMMAND [ARGS]...": "COMMANDE [ARGUMENTS]...",
    "[required]": "[obligatoire]",
    "[default: ": "[défaut : ",
    "; required]": " ; obligatoire]",
    "Show this message and exit.": "Montrer cette aide.",
    "Install completion for the current shell.": "Installer la complétion pour ce shell.",
    "Show completion for the current shell, to copy it or customize the installation.": "Montrer la complétion pour ce shell.",
}


def usage_in_french(said: str) -> str:
    """Return the French twin of what the parser says of a wrong use; the sentence itself where there is none.

    >>> usage_in_french("Invalid value for '--folds': 'x' is not a valid integer.")
    "valeur refusée pour '--folds' : 'x' n'est pas un nombre entier"
    """
    plain = said.rstrip(".")
    for pattern, french in _patterns():
        found = pattern.fullmatch(plain)
        if found:
            return french.format(*map(usage_in_french, found.groups()))
    return said


def help_in_french(page: str) -> str:
    """Return a help with the parser's own words in French.

    >>> help_in_french("Usage: epee [OPTIONS]")
    'Usage : epee [OPTIONS]'
    """
    for english, french in HELP.items():
        page = re.sub(re.escape(english).replace(r"\ ", r"\s+"), french, page)
    return page


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return compiled(USAGE)
