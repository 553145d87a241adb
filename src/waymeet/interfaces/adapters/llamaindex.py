"""A retriever for LlamaIndex.

>>> from waymeet import Project
>>> from waymeet.interfaces.adapters.llamaindex import WaymeetRetriever
>>> retriever = WaymeetRetriever(Project.open("my-project"), limit=5)  # doctest: +SKIP
>>> retriever.retrieve("how are results fused")  # doctest: +SKIP
"""

import asyncio

from waymeet.interfaces.adapters.common import SHOWN, missing, passages
from waymeet.project import Project
from waymeet.types import Filters

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing("llama-index-core", "llamaindex") from error

_EVERYTHING = Filters()


class WaymeetRetriever(BaseRetriever):
    """Finds the sections of a project that answer a question, best first.

    The text of a node is that of the section; its id can be cited and read back, and its metadata say where it stands,
    why it was found, and in `degraded` what the answer lacked. Only title, path and headings are shown to a model.
    """

    def __init__(
        self,
        project: Project,
        *,
        limit: int = 0,
        recipe: str = "auto",
        filters: Filters = _EVERYTHING,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """`limit` is the most sections; 0 for the project's setting."""
        super().__init__(callback_manager=callback_manager)
        self._project = project
        self._limit = limit
        self._recipe = recipe
        self._filters = filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = passages(self._project, query_bundle.query_str, self._limit, self._recipe, self._filters)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=each.id,
                    text=each.text,
                    metadata=each.facts,
                    excluded_llm_metadata_keys=[key for key in each.facts if key not in SHOWN],
                    excluded_embed_metadata_keys=list(each.facts),
                ),
                score=each.score,
            )
            for each in found
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
