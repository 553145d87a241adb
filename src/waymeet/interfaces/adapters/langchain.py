"""A retriever for LangChain.

>>> from waymeet import Project
>>> from waymeet.interfaces.adapters.langchain import WaymeetRetriever
>>> retriever = WaymeetRetriever(project=Project.open("my-project"), limit=5)  # doctest: +SKIP
>>> retriever.invoke("how are results fused")  # doctest: +SKIP
"""

from waymeet.interfaces.adapters.common import missing, passages
from waymeet.project import Project
from waymeet.types import Filters

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing("langchain-core", "langchain") from error


class WaymeetRetriever(BaseRetriever):
    """Finds the sections of a project that answer a question, best first.

    The text of a document is that of the section; its id can be cited and read back, and its metadata say where it
    stands, why it was found, and in `degraded` what the answer lacked. Awaited, it works in a thread.
    """

    project: Project
    limit: int = 0
    """Most sections; 0 for the project's setting."""
    recipe: str = "auto"
    filters: Filters = Filters()

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager  # nothing is asked that would have to be traced
        found = passages(self.project, query, self.limit, self.recipe, self.filters)
        return [Document(id=each.id, page_content=each.text, metadata=each.facts) for each in found]
