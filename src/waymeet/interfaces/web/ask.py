"""Call the operations of HTTP and MCP for a page, with the secrets of their answers masked."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from starlette.requests import Request

from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.http.endpoints import audited, call_operation, masks_secrets
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.project import Project


class Asker:
    """Calls operations for the pages of one project."""

    def __init__(
        self,
        project: AsyncProject,
        finish: Callable[[Any], Any] = lambda answer: answer,
        request: Request | None = None,
    ) -> None:
        """Serve a project.

        `finish` adds to an answer what only the server knows. Changes are recorded as those of `request`.
        """
        self._project, self._finish, self._request = project, finish, request

    def with_request(self, request: Request) -> "Asker":
        """Give the same for one request."""
        return Asker(self._project, self._finish, request)

    @property
    def project(self) -> Project:
        """The project of the pages."""
        return self._project.project

    async def ask(self, operation: str, *, trusted: bool = False, **fields: Any) -> Any:  # noqa: ANN401 - each operation has its own types
        """Call an operation by its name.

        It reads other projects only if the caller has checked that the sender may (`trusted`).

        Raises:
            WaymeetError: the request is wrong, or it cannot be answered.
        """
        chosen = OPERATIONS[operation]
        request = convert(chosen.request, fields, lax=True)
        answer = await self._project.call(call_operation, chosen, request, trusted=trusted)
        return self.mask(self._finish(answer))

    async def change(self, operation: str, **fields: Any) -> Any:  # noqa: ANN401 - each operation has its own types
        """Call an operation that writes. The caller has checked that the sender may write.

        Raises:
            WaymeetError: the request is wrong, or nothing was written.
        """
        chosen = OPERATIONS[operation]
        with self._audited(operation):
            request = convert(chosen.request, fields, lax=True)
            return self.mask(await self._project.change(call_operation, chosen, request))

    def mask(self, value: Any) -> Any:  # noqa: ANN401 - any value
        """Mask the secrets in a value that is shown."""
        return mask_outgoing(value, enabled=masks_secrets(self._project))

    def _audited(self, operation: str) -> "AbstractContextManager[None]":
        """Record a change in the audit log, if the server has one."""
        return audited(self._request, f"page {operation}") if self._request else nullcontext()
