"""A retriever for LlamaIndex.

>>> from waymeet import Project
>>> from waymeet.interfaces.adapters.llamaindex import WaymeetRetriever
>>> retriever = WaymeetRetriever(Project.open("my-project"), limit=5)  # doctest: +SKIP
>>> retriever.retrieve("how are results fused")  # doctest: +SKIP
"""

import asyncio
from typing import Unpack

from waymeet.interfaces.adapters.common import MODEL_METADATA, find_passages, missing_library
from waymeet.project import Project
from waymeet.project.query_options import QueryOptions, check_option_names

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing_library("llama-index-core", "llamaindex") from error


class WaymeetRetriever(BaseRetriever):
    """Retriever of the sections of a project that match a query, best first.

    The text of a node is the text of the section. Its id can be cited and read back. Its metadata contain the source,
    the reason and, in `degraded`, what limited the search. A model gets only title, path and headings of them.
    """

    def __init__(
        self,
        project: Project,
        *,
        callback_manager: CallbackManager | None = None,
        **options: Unpack[QueryOptions],
    ) -> None:
        """Make a retriever with the options of `Project.search`."""
        super().__init__(callback_manager=callback_manager)
        check_option_names(options)
        self._project = project
        self._options = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        passages = find_passages(self._project, query_bundle.query_str, self._options)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=passage.id,
                    text=passage.text,
                    metadata=passage.metadata,
                    excluded_llm_metadata_keys=[key for key in passage.metadata if key not in MODEL_METADATA],
                    excluded_embed_metadata_keys=list(passage.metadata),
                ),
                score=passage.score,
            )
            for passage in passages
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
