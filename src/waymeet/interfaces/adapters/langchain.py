"""A retriever for LangChain.

>>> from waymeet import Project
>>> from waymeet.interfaces.adapters.langchain import WaymeetRetriever
>>> retriever = WaymeetRetriever(project=Project.open("my-project"), limit=5)  # doctest: +SKIP
>>> retriever.invoke("how are results fused")  # doctest: +SKIP
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from waymeet.interfaces.adapters.common import find_passages, missing_library
from waymeet.project import Project
from waymeet.project.query_options import OPTION_NAMES, QueryOptions, check_option_names
from waymeet.types import Filters

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import model_validator
except ImportError as error:
    raise missing_library("langchain-core", "langchain") from error


class WaymeetRetriever(BaseRetriever):
    """Retriever of the sections of a project that match a query, best first.

    The text of a document is the text of the section. Its id can be cited and read back. Its metadata contain the
    source, the reason and, in `degraded`, what limited the search. Async calls run in a thread.
    """

    project: Project
    limit: int = 0
    """Maximum sections; 0 for the project's setting."""
    recipe: str = "auto"
    mode: str = ""
    filters: Filters = Filters()
    """Filters. The fields below replace single ones, except for tags: LangChain gives `tags` another meaning."""
    paths: Sequence[str] = ()
    kinds: Sequence[str] = ()
    doc_types: Sequence[str] = ()
    languages: Sequence[str] = ()
    namespaces: Sequence[str] = ()
    properties: Mapping[str, str] = {}
    changed_after: str = ""
    changed_before: str = ""

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown names with a suggestion, since pydantic would ignore them."""
        check_option_names(name for name in values if name not in cls.model_fields)
        return values

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager  # there are no nested calls to trace
        options = {name: getattr(self, name) for name in (self.model_fields_set & OPTION_NAMES) - {"tags"}}
        passages = find_passages(self.project, query, cast("QueryOptions", options))
        return [Document(id=passage.id, page_content=passage.text, metadata=passage.metadata) for passage in passages]
