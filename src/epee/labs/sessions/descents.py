r"""Descents and their paths: gradient with a fixed step, with a line search, Newton, BFGS, on three landscapes.

.. math:: x_{t+1} = x_t - \varepsilon \nabla f(x_t), \qquad x_{t+1} = x_t - H(x_t)^{-1} \nabla f(x_t).
"""

from __future__ import annotations

import numpy as np

from epee.figures.optimize import draw_contours
from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import panel
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State
from epee.labs.machinery.words import blocks, in_language, shown
from epee.words.catalogue import Words, plural

METHODS = {
    "fixed": Words("gradient, fixed step", "gradient, pas fixe"), "armijo": Words("gradient, line search", "gradient, recherche linéaire"),
    "exact": Words("gradient, exact search", "gradient, recherche exacte"), "newton": Words("Newton", "Newton"), "bfgs": Words("BFGS", "BFGS"),
}  # fmt: skip
WORLDS = {
    "bowl": Words("a bowl", "une cuvette"),
    "valley": Words("Rosenbrock's valley", "vallée de Rosenbrock"),
    "logistic": Words("logistic loss", "perte logistique"),
}
BOX = {"bowl": ((-3.2, -3.2), (3.2, 3.2)), "valley": ((-2, -1.2), (2, 3)), "logistic": ((-1, -1), (6, 6))}
FIRST = {"bowl": (-2.5, 1.5), "valley": (-1.2, 1.0), "logistic": (0.0, 0.0)}
_RNG = np.random.default_rng(5)
_Z = np.r_[_RNG.normal([1.2, 0.6], 1.0, (30, 2)), -_RNG.normal([1.2, 0.6], 1.0, (30, 2))]  # y x, for classes 1 and -1
_Z[30:] *= -1


def landscape(name: str, condition: float):
    """Return f, its gradient and its Hessian."""
    if name == "bowl":
        A = np.diag([1.0, condition])
        return (lambda x: 0.5 * x @ A @ x), (lambda x: A @ x), (lambda x: A)
    if name == "valley":
        c = condition
        return (
            lambda x: (1 - x[0]) ** 2 + c * (x[1] - x[0] ** 2) ** 2,
            lambda x: np.array([-2 * (1 - x[0]) - 4 * c * x[0] * (x[1] - x[0] ** 2), 2 * c * (x[1] - x[0] ** 2)]),
            lambda x: np.array([[2 - 4 * c * (x[1] - 3 * x[0] ** 2), -4 * c * x[0]], [-4 * c * x[0], 2 * c]]),
        )
    lam = 0.02

    def f(w):
        return float(np.logaddexp(0, -_Z @ w).mean() + lam / 2 * w @ w)

    def g(w):
        return -_Z.T @ (1 / (1 + np.exp(_Z @ w))) / len(_Z) + lam * w

    def H(w):
        p = 1 / (1 + np.exp(_Z @ w))
        return (_Z * (p * (1 - p))[:, None]).T @ _Z / len(_Z) + lam * np.eye(2)

    return f, g, H


def compute(state: State) -> Results:
    from epee import optimize

    world, method, most = state["world"], state["method"], int(state["most"])
    f, g, H = landscape(world, float(state["condition"]))
    x0 = np.array(FIRST[world])
    if method == "newton":
        found = optimize.newton(f, x0, g, H, max_iter=most)
    elif method == "bfgs":
        found = optimize.bfgs(f, x0, g, max_iter=most)
    elif method == "fixed":
        with np.errstate(all="ignore"):
            found = optimize.gradient_descent(f, x0, g, step=float(state["step"]), max_iter=most)
    else:
        found = optimize.gradient_descent(f, x0, g, step=method, max_iter=most)
    path = np.asarray(found.trace.x)
    best = optimize.newton(f, found.x if found.converged else x0, g, H, max_iter=200)
    value = np.array(found.trace.value)
    largest = float(np.linalg.eigvalsh(H(best.x))[-1])
    smallest = float(np.linalg.eigvalsh(H(best.x))[0])
    last = float(value[-1] - best.value)
    return Results(f=f, path=path, value=value, best=best, converged=bool(found.converged), n=int(found.iterations), world=world, method=method, gap=max(last, 0.0),
                   largest=largest, smallest=smallest, step=float(state["step"]), gradient=g(x0), x0=x0, diverged=not np.isfinite(last) or last > value[0] - best.value + 1e-9)  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    low, high = BOX[r.world]
    left = panel(size=(5.0, 4.4), xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="$x_1$", ylabel="$x_2$")
    draw_contours(left, r.f, low, high, levels=18, points=60)
    path = r.path[np.isfinite(r.path).all(axis=1)]
    path = np.clip(path, np.array(low) - 20, np.array(high) + 20)
    left.plot(*path.T, "o-", ms=3.5, lw=1.2, color=COLOURS[1])
    left.plot(*path[0], "s", ms=7, color=COLOURS[1], label="départ" if fr else "start")
    left.plot(*r.best.x, "*", ms=15, color=INK, label="minimum")
    left.grid(False)
    legend(left)
    right = panel(size=(5.4, 3.6), xlabel="itération" if fr else "iteration", ylabel=r"$f(x_t) - f^*$", yscale="log")
    with np.errstate(all="ignore"):
        gap = np.clip(np.nan_to_num(r.value - r.best.value, nan=1e12, posinf=1e12), 1e-16, 1e12)
    right.plot(gap, ".-", color=COLOURS[0])
    return [left.figure, right.figure]


def formula(r: Results) -> Words:
    first = r.path[1] if len(r.path) > 1 else r.x0
    rule = r"x_1 = x_0 - H^{-1}\nabla f(x_0)" if r.method == "newton" else r"x_1 = x_0 - \varepsilon\,\nabla f(x_0)"
    lines = blocks(
        rf"\nabla f(x_0) = ({shown(r.gradient[0])},\; {shown(r.gradient[1])}), \qquad {rule} = ({shown(first[0])},\; {shown(first[1])})",
        rf"\lambda_{{min}} = {shown(r.smallest)},\quad \lambda_{{max}} = {shown(r.largest)},\quad \kappa = \frac{{\lambda_{{max}}}}{{\lambda_{{min}}}} = {shown(r.largest / r.smallest)},\quad \frac{{2}}{{\lambda_{{max}}}} = {shown(2 / r.largest)}",
        rf"f(x_{{{r.n}}}) - f^* = {shown(min(r.gap, 1e12))}",
    )
    return Words(
        "The first step, the curvatures at the minimum, and what is left:\n\n" + lines,
        "Le premier pas, les courbures au minimum, et ce qui reste :\n\n" + lines,
    )


def answer(r: Results) -> Words:
    if r.diverged:
        return Words(
            "**It flies away**: the step is too long for the steepest direction.",
            "**Ça s'envole** : le pas est trop long pour la direction la plus raide.",
        )
    steps = plural(r.n, "step", "steps", "en")
    if r.converged:
        return Words(f"**Arrived** after {r.n} {steps}.", f"**Arrivé** après {r.n} pas.")
    return Words(
        f"After {r.n} {steps}, still ${shown(r.gap, 2)}$ above the minimum.",
        f"Après {r.n} pas, encore ${shown(r.gap, 2)}$ au-dessus du minimum.",
    )


def code(state: State) -> str:
    t, world, most, c = in_language(state), state["world"], int(state["most"]), float(state["condition"])
    ground = {
        "bowl": f"""A = np.diag([1.0, {c}])
f, gradient, hessian = (lambda x: 0.5 * x @ A @ x), (lambda x: A @ x), (lambda x: A)""",
        "valley": f"""c = {c}
f = lambda x: (1 - x[0]) ** 2 + c * (x[1] - x[0] ** 2) ** 2
gradient = lambda x: np.array([-2 * (1 - x[0]) - 4 * c * x[0] * (x[1] - x[0] ** 2), 2 * c * (x[1] - x[0] ** 2)])
hessian = lambda x: np.array([[2 - 4 * c * (x[1] - 3 * x[0] ** 2), -4 * c * x[0]], [-4 * c * x[0], 2 * c]])""",
        "logistic": """rng = np.random.default_rng(5)
Z = np.r_[rng.normal([1.2, 0.6], 1.0, (30, 2)), rng.normal([1.2, 0.6], 1.0, (30, 2))]
f = lambda w: np.logaddexp(0, -Z @ w).mean() + 0.01 * w @ w
p = lambda w: 1 / (1 + np.exp(Z @ w))
gradient = lambda w: -Z.T @ p(w) / len(Z) + 0.02 * w
hessian = lambda w: (Z * (p(w) * (1 - p(w)))[:, None]).T @ Z / len(Z) + 0.02 * np.eye(2)""",
    }[world]
    call = {
        "newton": f"newton(f, x0, gradient, hessian, max_iter={most})",
        "bfgs": f"bfgs(f, x0, gradient, max_iter={most})",
        "fixed": f"gradient_descent(f, x0, gradient, step={float(state['step'])}, max_iter={most})",
    }.get(state["method"], f'gradient_descent(f, x0, gradient, step="{state["method"]}", max_iter={most})')
    return f"""import numpy as np
from epee import optimize

{ground}
x0 = np.array({list(FIRST[world])})
found = optimize.{call}
value = found.trace.value[-1]
print(found.method, found.iterations, "{t("steps, down to", "pas, jusqu'à")}", value, found.reason)
"""


LAB = Lab(
    id="descents",
    title=Words("Descents and their paths", "Descentes et chemins"),
    question=Words("Which way down, and how long a step?", "Par où descendre, et à quelle longueur de pas ?"),
    story=Words("Pick a landscape and a method, stretch the landscape, and watch the path. A step too short crawls; a step too long jumps out.",
                "Choisir un paysage et une méthode, étirer le paysage, et regarder le chemin. Un pas trop court se traîne ; un pas trop long saute dehors."),
    controls=(
        Choice("world", Words("landscape", "paysage"), WORLDS, "bowl"),
        Choice("method", Words("method", "méthode"), METHODS, "fixed"),
        Slider("step", Words("step ε (fixed step only)", "pas ε (pas fixe seulement)"), [0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, 5.0], 0.15),
        Slider("condition", Words("stretch κ", "étirement κ"), [1, 2, 5, 10, 20, 50, 100], 10),
        Slider("most", Words("largest number of steps", "nombre maximal de pas"), [1, 2, 3, 5, 10, 20, 50, 100, 200], 20),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("value", lambda r: r.value[-1]),
    exercises=(
        Number(Words("On the bowl with $\\kappa = 10$, below which step does the fixed-step descent converge?", "Sur la cuvette avec $\\kappa = 10$, sous quel pas la descente à pas fixe converge-t-elle ?"),
               lambda r: 0.2, Words("$2/\\lambda_{max}$, and $\\lambda_{max} = 10$.", "$2/\\lambda_{max}$, et $\\lambda_{max} = 10$."),
               Words("Right: along the steepest direction, the error is multiplied by $1 - 10\\,\\varepsilon$ at each step.", "Juste : dans la direction la plus raide, l'erreur est multipliée par $1 - 10\\,\\varepsilon$ à chaque pas.")),
        Goal(Words("Make the fixed-step descent fly away.", "Faire s'envoler la descente à pas fixe."), lambda r: r.method == "fixed" and r.diverged,
             Words("Go beyond $2/\\lambda_{max}$.", "Aller au-delà de $2/\\lambda_{max}$."), lambda r: {"world": "bowl", "method": "fixed", "condition": 10, "step": 0.25, "most": 20}),
        Pick(Words("On the bowl, Newton arrives in…", "Sur la cuvette, Newton arrive en…"), {"one": Words("one step", "un pas"), "two": Words("two steps", "deux pas"), "many": Words("it depends on κ", "cela dépend de κ")}, "one",
             Words("Newton minimises a quadratic model; what is the bowl?", "Newton minimise un modèle quadratique ; qu'est-ce que la cuvette ?"),
             Words("Right, whatever the stretch: the Hessian undoes it.", "Juste, quel que soit l'étirement : la hessienne le défait.")),
    ),
)  # fmt: skip
