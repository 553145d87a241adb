"""A retriever for LangChain.

>>> from waymeet import Project
>>> from waymeet.interfaces.adapters.langchain import WaymeetRetriever
>>> retriever = WaymeetRetriever(project=Project.open("my-project"), limit=5)  # doctest: +SKIP
>>> retriever.invoke("how are results fused")  # doctest: +SKIP
"""

from waymeet.interfaces.adapters.common import find_passages, missing_library
from waymeet.project import Project
from waymeet.types import Filters

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
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
    filters: Filters = Filters()

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager  # there are no nested calls to trace
        passages = find_passages(self.project, query, self.limit, self.recipe, self.filters)
        return [Document(id=passage.id, page_content=passage.text, metadata=passage.metadata) for passage in passages]
