"""Queries with known relevant documents, mined from the project to be searched.

`read_project` indexes the project's files temporarily. `labels` and `commits` find texts that can serve as queries: the
text of a link, a heading, the first sentence of a docstring, the subject of a commit. `withhold` removes these texts
from the index, so that a query is not answered by its own wording. Names of files and symbols are queries as well and
are not removed: without them, tuning would learn that names do not matter.
"""

from waymeet.evaluate.mining.collection import mine_collection
from waymeet.evaluate.mining.labels import KINDS

__all__ = ["KINDS", "mine_collection"]
