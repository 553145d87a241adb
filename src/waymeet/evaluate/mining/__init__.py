"""Questions with known answers, mined from a project itself: how good are the answers for *this* project?

`reading` puts the project's files into a temporary index, `labels` finds what may serve as a question (the text of a
link, a heading, the first sentence of a docstring, the subject of a commit), `withholding` takes that very text out of
the index, so that only what is meant can be found, not what is written. Names of files and symbols are asked for as
they are: without them, tuning would learn that names mean nothing.
"""

from waymeet.evaluate.mining.collection import mine_collection
from waymeet.evaluate.mining.labels import KINDS

__all__ = ["KINDS", "mine_collection"]
