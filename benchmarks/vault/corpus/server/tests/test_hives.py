"""Tests of get_hive_by_id, list_gateways, send_alert and retry_delay."""

import pytest
from hivewatch.alerting import choose_channel, send_alert
from hivewatch.client import retry_delay
from hivewatch.hives import HIVES, UnknownHive, get_hive_by_id, list_gateways


def test_get_hive_by_id_of_somebody_else() -> None:
    HIVES["h1"] = {"owner": "a", "gateway": "g1", "name": "Old oak"}
    assert get_hive_by_id("h1", "a")["name"] == "Old oak"
    with pytest.raises(UnknownHive):
        get_hive_by_id("h1", "b")
    assert list_gateways("a") == ["g1"]


def test_send_alert_and_choose_channel() -> None:
    assert send_alert("h1", "a", "theft", 3).startswith("phone")
    assert choose_channel("hunger", 3) == "message"


def test_retry_delay() -> None:
    assert [retry_delay(each) for each in (0, 3, 9)] == [1.0, 8.0, 60.0]
    assert retry_delay(3, 2.5) == 2.5
