"""Keys that stand for one object."""

from perftrack.core.sameness import Same


def test_an_object_is_the_same_as_itself() -> None:
    thing = (1, 2)
    assert Same(thing) == Same(thing)
    assert hash(Same(thing)) == hash(Same(thing))


def test_equal_objects_are_not_the_same() -> None:
    one, other = [1], [True]
    assert one == other
    assert Same(one) != Same(other)
