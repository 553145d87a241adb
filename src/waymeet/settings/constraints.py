"""Value ranges of settings."""

from typing import Annotated

from msgspec import Meta

Weight = Annotated[float, Meta(ge=0.0, le=1e6)]
Part = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Number = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Seconds = Annotated[float, Meta(ge=0.05, le=3600.0)]
Ways = tuple[Weight, Weight]
Shares = tuple[Weight, Weight, Weight]
