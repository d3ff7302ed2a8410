r"""Eigenfaces: images as points, their principal axes as images, and a query answered on few axes.

A face :math:`x` becomes the few numbers :math:`\phi(x) = U_q^\top (x - \bar x)`; the nearest face of the base on these axes answers.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from epee.figures.style import COLOURS, INK, legend
from epee.labs.machinery.canvas import image, panel, panels
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, spread
from epee.labs.machinery.words import blocks, in_language, percent, shown
from epee.words.catalogue import Words, plural
from epee.words.numbers import fixed

HARM = {
    "none": Words("none", "aucun"),
    "grain": Words("strong grain", "fort grain"),
    "glasses": Words("dark glasses", "lunettes noires"),
    "scarf": Words("scarf", "écharpe"),
}
POSES = {"left": Words("left", "gauche"), "front": Words("front", "face"), "right": Words("right", "droite")}


@lru_cache(maxsize=16)
def base(person: str, pose: str, light: str):
    """Return the faces, the one that is asked for, and the axes learned from all the others."""
    from epee import Eigenfaces, samples

    all_ = samples.faces()
    asked = int(np.flatnonzero((all_.persons == person) & (all_.poses == pose) & (all_.lights == light))[0])
    rest = np.arange(len(all_.images)) != asked
    model = Eigenfaces(len(all_.images) - 2).fit(all_.images[rest], all_.persons[rest])
    return all_.images[rest], all_.images[asked], model


def harmed(picture: np.ndarray, harm: str) -> np.ndarray:
    """Return a face with something in the way."""
    out = picture.copy()
    if harm == "grain":
        out = np.clip(out + 0.25 * np.random.default_rng(1).standard_normal(out.shape), 0, 1)
    elif harm == "glasses":
        out[14:21, 7:33] = 0.05
    elif harm == "scarf":
        out[26:37, 5:35] = 0.55
    return out


def compute(state: State) -> Results:
    images, clean, model = base(state["person"], state["pose"], state["light"])
    q = int(state["q"])
    query = harmed(clean, state["harm"])
    U = model.pca_.components_[:q]
    code = U @ (query - model.mean_face_).ravel()  # (q,)
    rebuilt = model.mean_face_ + (code @ U).reshape(query.shape)
    distances = np.sqrt(((model.codes_[:, :q] - code) ** 2).sum(axis=1))
    order = np.argsort(distances)[:4]
    ratio = np.cumsum(model.explained_variance_ratio_)
    return Results(
        query=query, rebuilt=rebuilt, mean=model.mean_face_, axes=model.eigenfaces_[:8], ratio=ratio, q=q, code=code,
        nearest=images[order], names=model.labels_[order], distances=distances[order], right=str(model.labels_[order[0]]) == state["person"],
        lost=float(np.linalg.norm(query - rebuilt)), share=ratio[q - 1],
    )  # fmt: skip


def draw(r: Results, lang: str) -> list:
    fr = lang == "fr"
    top = panels(3, 3, size=(4.6, 5.0))
    image(top[0, 0], r.mean, "visage moyen" if fr else "mean face", vmin=0, vmax=1)
    for k, ax in enumerate(top.flat[1:]):
        image(
            ax,
            r.axes[k],
            f"{'axe' if fr else 'axis'} {k + 1}{'' if k < r.q else ' (–)'}",
            cmap="RdBu_r",
            alpha=1.0 if k < r.q else 0.25,
        )
    rows = panels(2, 3, size=(5.0, 3.9))
    image(rows[0, 0], r.query, "requête" if fr else "query", vmin=0, vmax=1)
    image(rows[0, 1], np.clip(r.rebuilt, 0, 1), axes_fr(r.q) if fr else axes_en(r.q), vmin=0, vmax=1)
    for k, ax in enumerate(rows.flat[2:]):
        image(ax, r.nearest[k], f"{k + 1}. {r.names[k]} ({fixed(r.distances[k], 2)})", vmin=0, vmax=1)
    curve = panel(
        size=(5.0, 2.6),
        xlabel="axes gardés q" if fr else "axes kept q",
        ylabel="contraste conservé" if fr else "contrast kept",
        ylim=(0, 1.05),
    )
    curve.plot(np.arange(1, len(r.ratio) + 1), r.ratio, "o-", ms=3.5, color=COLOURS[0])
    curve.plot([r.q], [r.share], "o", ms=9, color=COLOURS[1], label=f"{100 * r.share:.0f} %")
    curve.axhline(0.9, color=INK, lw=0.8, ls=":")
    legend(curve, loc="lower right")
    return [rows.flat[0].figure, top.flat[0].figure, curve.figure]


def formula(r: Results) -> Words:
    numbers = r",\; ".join(shown(c, 2) for c in r.code[:3]) + (r",\; \dots" if r.q > 3 else "")
    lines = blocks(
        rf"\varphi(x) = U_q^\top (x - \bar x) = ({numbers})",
        rf"\frac{{\lambda_1 + \dots + \lambda_{{{r.q}}}}}{{\sum_j \lambda_j}} = {shown(r.share)}, \qquad \|x - \hat x\| = {shown(r.lost)}",
        rf"\min_i \|\varphi(x) - \varphi(x_i)\| = {shown(r.distances[0])}",
    )
    return Words(
        f"A face of 1600 pixels becomes {r.q} number{'s' if r.q > 1 else ''}; the nearest face of the base answers:\n\n{lines}",
        f"Un visage de 1600 pixels devient {r.q} nombre{'s' if r.q > 1 else ''} ; le visage le plus proche de la base répond :\n\n{lines}",
    )


def answer(r: Results) -> Words:
    name, p = r.names[0], percent(r.share, 0)
    if r.right:
        return Words(
            f"**Yes**: with {r.q} of the 25 axes ({p} % of the contrast) the answer is **{name}**.",
            f"**Oui** : avec {axes_fr(r.q)} sur 25 ({p} % du contraste), la réponse est **{name}**.",
        )
    return Words(
        f"**Not yet**: with {axes_en(r.q)} ({p} % of the contrast) the answer is **{name}**, which is wrong.",
        f"**Pas encore** : avec {axes_fr(r.q)} ({p} % du contraste), la réponse est **{name}**, et c'est faux.",
    )


def axes_en(q: int) -> str:
    return f"{q} {plural(q, 'axis', 'axes', 'en')}"


def axes_fr(q: int) -> str:
    return f"{q} {plural(q, 'axe', 'axes', 'fr')}"


def code(state: State) -> str:
    t = in_language(state)
    harm = {
        "none": "",
        "grain": "query = np.clip(query + 0.25 * np.random.default_rng(1).standard_normal(query.shape), 0, 1)\n",
        "glasses": "query[14:21, 7:33] = 0.05\n",
        "scarf": "query[26:37, 5:35] = 0.55\n",
    }[state["harm"]]
    return f"""import numpy as np
import epee

faces = epee.samples.faces()  # {t("or", "ou")} epee.samples.faces_from_folder("photos", size=(64, 64))
asked = (faces.persons == "{state["person"]}") & (faces.poses == "{state["pose"]}") & (faces.lights == "{state["light"]}")
model = epee.Eigenfaces({int(state["q"])}).fit(faces.images[~asked], faces.persons[~asked])
query = faces.images[asked][0].copy()
{harm}found = model.query(query, k=3)
distance = found.distances[0]
print("{t("nearest", "plus proches")}", found.labels, found.distances)
"""


LAB = Lab(
    id="eigenfaces",
    title=Words("Eigenfaces", "Visages propres (eigenfaces)"),
    question=Words("How many numbers does it take to recognise a face?", "Combien de nombres faut-il pour reconnaître un visage ?"),
    story=Words(
        "Twenty-six drawn faces (three persons, three poses, three lights) are learned; the one you ask for is not among them. Blur or hide it, and see how many axes the answer needs.",
        "Vingt-six visages dessinés (trois personnes, trois poses, trois lumières) sont appris ; celui de la requête n'en fait pas partie. Le brouiller ou le cacher, et voir combien d'axes il faut pour répondre.",
    ),
    controls=(
        Slider("q", Words("axes q", "axes q"), spread(1, 25, 1), 1),
        Choice("person", Words("person", "personne"), {p: Words(p, p) for p in ("Ada", "Blaise", "Chen")}, "Chen"),
        Choice("pose", Words("pose", "pose"), POSES, "right"),
        Choice("light", Words("light", "lumière"), POSES, "right"),
        Choice("harm", Words("in the way", "gêne"), HARM, "none"),
    ),
    compute=compute, draw=draw, formula=formula, answer=answer, code=code, own=("distance", lambda r: r.distances[0]),
    exercises=(
        Goal(
            Words("Find the smallest q that keeps at least 90 % of the contrast.", "Trouver le plus petit q qui conserve au moins 90 % du contraste."),
            lambda r: r.q == int(np.argmax(r.ratio >= 0.9)) + 1,
            Words("Follow the curve up to the dotted line.", "Suivre la courbe jusqu'à la ligne pointillée."),
            lambda r: {"q": int(np.argmax(r.ratio >= 0.9)) + 1},
            Words("Right: the share is the sum of the first eigenvalues over the sum of all.", "Juste : la part est la somme des premières valeurs propres sur la somme de toutes."),
        ),
        Pick(
            Words("26 images of 1600 pixels: at most how many axes have a variance that is not zero?", "26 images de 1600 pixels : au plus combien d'axes ont une variance non nulle ?"),
            {"1600": Words("1600", "1600"), "26": Words("26", "26"), "25": Words("25", "25")},
            "25",
            Words("26 points, and their mean is taken away.", "26 points, et leur moyenne est retirée."),
            Words("Right: that is why the small 26 × 26 matrix is diagonalised, not the 1600 × 1600 one.", "Juste : c'est pourquoi on diagonalise la petite matrice 26 × 26, et non celle de 1600 × 1600."),
        ),
        Number(
            lambda r: Words(
                f"The share kept by {axes_en(r.q)} is {shown(r.share, 4)}. Which share of the contrast is lost on average?",
                f"La part conservée par {axes_fr(r.q)} est {shown(r.share, 4)}. Quelle part du contraste est perdue en moyenne ?",
            ),
            lambda r: 1 - r.share,
            Words("Kept and lost make 1.", "Conservé et perdu font 1."),
            Words("Right: it is the mean squared reconstruction error over the inertia.", "Juste : c'est l'erreur quadratique moyenne de reconstruction sur l'inertie."),
            margin=0.001,
        ),
    ),
)  # fmt: skip
