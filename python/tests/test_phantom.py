"""The drawn images are those of the program."""

import numpy as np
import pytest

import cubcal


def test_phantom():
    p = cubcal.phantom("train", 60, image_size=24, seed=3)
    assert p.images.shape == (60, 3, 24, 24) and p.images.dtype == np.uint8
    assert set(p.labels) <= {0, 1, 2, 3} and len(np.unique(p.patients)) == 15
    front = cubcal.phantom("train", 10, image_size=24, seed=3)
    np.testing.assert_array_equal(front.images, p.images[:10])
    assert (cubcal.phantom("ood", 5).labels == -1).all()
    assert not np.array_equal(cubcal.phantom("val", 10).images, cubcal.phantom("test", 10).images)
    with pytest.raises(ValueError, match="splits train, val, test and ood, not 'x'"):
        cubcal.phantom("x")
    with pytest.raises(ValueError, match="image"):
        cubcal.phantom("train", 3, image_size=7)
