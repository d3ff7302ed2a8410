"""The one look of all pictures."""


def test_ticks_have_decimal_commas_in_french():
    from epee.figures.style import new_axes
    from epee.settings import options

    def ticks(lang):
        with options(language=lang):
            ax = new_axes()
        ax.plot([0, 0.4], [0, 1])
        ax.figure.canvas.draw()
        return [label.get_text() for label in ax.get_xticklabels()]

    assert "0.05" in ticks("en") and "0,05" in ticks("fr") and not any("." in text for text in ticks("fr"))


def test_names_on_an_axis_stay_names_in_french():
    from epee.figures.style import new_axes
    from epee.settings import options

    with options(language="fr"):
        ax = new_axes()
    ax.bar(["droite", "réseau"], [0.1, 0.2])
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["droite", "réseau"]
