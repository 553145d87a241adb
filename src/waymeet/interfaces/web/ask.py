"""Call the operations of HTTP and MCP for a page, with the secrets of their answers masked."""

from collections.abc import Callable
from typing import Any

from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.endpoints import call_operation, masks_secrets
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.project import Project


class Asker:
    """Calls operations for the pages of one project."""

    def __init__(self, project: AsyncProject, finish: Callable[[Any], Any] = lambda answer: answer) -> None:
        """Serve a project.

        `finish` adds to an answer what only the server knows.
        """
        self._project, self._finish = project, finish

    @property
    def project(self) -> Project:
        """The project of the pages."""
        return self._project.project

    async def ask(self, operation: str, **fields: Any) -> Any:  # noqa: ANN401 - each operation has its own types
        """Call an operation by its name.

        Raises:
            WaymeetError: the request is wrong, or it cannot be answered.
        """
        chosen = OPERATIONS[operation]
        request = convert(chosen.request, fields, lax=True)
        return self.mask(self._finish(await self._project.call(call_operation, chosen, request)))

    async def change(self, operation: str, **fields: Any) -> Any:  # noqa: ANN401 - each operation has its own types
        """Call an operation that writes. The caller has checked that the sender may write.

        Raises:
            WaymeetError: the request is wrong, or nothing was written.
        """
        chosen = OPERATIONS[operation]
        request = convert(chosen.request, fields, lax=True)
        return self.mask(await self._project.change(call_operation, chosen, request))

    def mask(self, value: Any) -> Any:  # noqa: ANN401 - any value
        """Mask the secrets in a value that is shown."""
        return mask_outgoing(value, enabled=masks_secrets(self._project))
