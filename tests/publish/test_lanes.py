"""Lane names, and what sets two lanes apart."""

from dataclasses import replace

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, lane_id
from perftrack.core.model import Cache, Protocol, Timer
from perftrack.publish.lanes import device_label, lane_differences, view_lanes
from tests.publish.synthetic import CPU, EVENT, HOST, NEW_DRIVER, OLD_DRIVER


def lane(fingerprint: EnvironmentFingerprint, protocol: Protocol = EVENT) -> Lane:
    return Lane(lane_id(fingerprint, protocol), fingerprint, protocol)


def labels(*lanes: Lane) -> list[str]:
    return [view.label for view in view_lanes(lanes)]


def test_a_lane_alone_is_named_by_its_device() -> None:
    assert labels(lane(OLD_DRIVER)) == ["H200"]


def test_decoration_is_left_out_of_device_names() -> None:
    intel = EnvironmentFingerprint(cpu_model="Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz")
    assert device_label(intel) == "Intel Xeon Platinum 8480+"


def test_lanes_of_one_device_are_named_by_the_field_that_differs() -> None:
    assert labels(lane(OLD_DRIVER), lane(NEW_DRIVER)) == ["H200 · driver 550.54.15", "H200 · driver 570.86.10"]


def test_fields_are_added_until_a_lane_is_told_apart() -> None:
    other = replace(OLD_DRIVER, torch_version="2.9.0")
    assert labels(lane(OLD_DRIVER), lane(NEW_DRIVER), lane(other))[0] == "H200 · driver 550.54.15 · torch 2.8.0"


def test_lanes_of_one_environment_are_named_by_protocol() -> None:
    hot = Protocol(Timer.EVENT, Cache.HOT)
    assert labels(lane(OLD_DRIVER), lane(OLD_DRIVER, hot)) == ["H200 · cache cold", "H200 · cache hot"]


def test_no_two_lanes_share_a_name() -> None:
    many = [lane(replace(OLD_DRIVER, cuda_version=str(i), torch_version=str(i % 2))) for i in range(6)]
    assert len(set(labels(*many))) == 6


def test_differences_name_protocol_and_key_fields() -> None:
    found = [str(d) for d in lane_differences(lane(OLD_DRIVER), lane(NEW_DRIVER, HOST)) if d.refuses]
    assert "timer: event → host" in found
    assert "driver: 550.54.15 → 570.86.10" in found


def test_context_differences_do_not_refuse() -> None:
    found = lane_differences(lane(OLD_DRIVER), lane(replace(OLD_DRIVER, host="bench-02")))
    assert [(d.label, d.refuses) for d in found] == [("host", False)]


def test_slots_follow_the_order_given() -> None:
    assert [v.slot for v in view_lanes([lane(CPU, HOST), lane(OLD_DRIVER)])] == [0, 1]
