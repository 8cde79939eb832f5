"""Mean predictions, against NumPy and over everything that can be passed."""

import pickle

import numpy as np
import pytest
from conftest import make_logits
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import cubcal


def reference(z):
    z = np.asarray(z, np.float64)
    z = z[None] if z.ndim == 2 else z
    e = np.exp(z - z.max(axis=2, keepdims=True))
    each = e / e.sum(axis=2, keepdims=True)
    p = each.mean(axis=0)

    def entropy(q):
        return -(q * np.log(np.where(q > 0, q, 1))).sum(axis=-1)

    return p, entropy(p), entropy(each).mean(axis=0)


@settings(max_examples=60)
@given(hnp.arrays(st.sampled_from([np.float16, np.float32, np.float64]),
                  st.tuples(st.integers(1, 5), st.integers(1, 40), st.integers(2, 9)),
                  elements=st.floats(-30, 30, width=16)))
def test_equals_numpy_for_any_shape_and_type(z):
    if cubcal._core.kind_of_numbers(z) == "probabilities":
        return
    z = np.concatenate([z, np.full((z.shape[0], 1, z.shape[2]), -2, z.dtype)], axis=1)
    p = cubcal.predict(z)
    mean, total, aleatoric = reference(z)
    assert p.probabilities.shape == z.shape[1:] and len(p) == z.shape[1]
    np.testing.assert_allclose(p.probabilities, mean, atol=2e-6)
    np.testing.assert_allclose(p.entropy, total, atol=2e-5)
    np.testing.assert_allclose(p.aleatoric, aleatoric, atol=2e-5)
    np.testing.assert_allclose(p.epistemic, np.maximum(p.entropy - p.aleatoric, 0), atol=0)
    np.testing.assert_array_equal(p.confidence, np.clip(p.probabilities.max(axis=1), 1 / z.shape[2], 1))
    np.testing.assert_array_equal(p.predicted, p.probabilities.argmax(axis=1))


@settings(max_examples=40)
@given(st.permutations([0, 1, 2]), st.integers(1, 3), st.booleans(), st.booleans())
def test_strides_and_byte_order_do_not_matter(axes, step, backwards, big_endian):
    whole = make_logits(4, 60, 3, seed=1, dtype=np.float64)[0]
    view = np.ascontiguousarray(whole.transpose(axes)).transpose(np.argsort(axes))
    view = view[:, ::-step if backwards else step]
    if big_endian:
        view = view.astype(">f8")
    expected = cubcal.predict(np.ascontiguousarray(view, np.float64))
    np.testing.assert_array_equal(cubcal.predict(view).probabilities, expected.probabilities)


@settings(max_examples=30)
@given(st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(0, 3), st.integers(0, 29), st.integers(0, 4))
def test_one_bad_number_is_named(bad, s, n, k):
    z = make_logits(4, 30, 5, seed=2)[0]
    z[s, n, k] = bad
    with pytest.raises(ValueError, match=rf"\[pass {s}, sample {n}, class {k}\] is (NaN|infinite)"):
        cubcal.predict(z)


def test_contiguous_arrays_are_looked_at_in_place():
    z = make_logits()[0]
    from cubcal._arrays import floats

    assert np.shares_memory(floats(z, "logits"), z)
    p = cubcal.predict(z)
    assert not p.probabilities.flags.writeable
    assert np.shares_memory(p.probabilities, p.probabilities), "two looks at one result"
    kept = p.probabilities
    copy = kept.copy()
    del p
    np.testing.assert_array_equal(kept, copy)


def test_lists_and_single_passes():
    z = [[2, 0, -1], [0.5, 3, 0]]
    np.testing.assert_array_equal(cubcal.predict(z).probabilities,
                                  cubcal.predict(np.array(z, np.float64)[None]).probabilities)
    np.testing.assert_array_equal(cubcal.predict([[2, 0], [1, 5]]).predicted, [0, 1])


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    z = make_logits()[0]
    tensor = torch.tensor(z, requires_grad=True)
    expected = cubcal.predict(z).probabilities
    np.testing.assert_array_equal(cubcal.predict(tensor).probabilities, expected)
    np.testing.assert_array_equal(cubcal.predict(list(tensor)).probabilities, expected)
    half = cubcal.predict(tensor.bfloat16())
    np.testing.assert_allclose(half.probabilities, expected, atol=0.02)


def test_probabilities_are_said_by_name():
    z, _ = make_logits(1)
    p = cubcal.predict(z)
    again = cubcal.predict(probabilities=p.probabilities)
    np.testing.assert_array_equal(again.probabilities, p.probabilities)
    np.testing.assert_allclose(
        cubcal.predict(cubcal.as_logits(probabilities=p.probabilities)).entropy, again.entropy, rtol=1e-9)
    with pytest.raises(ValueError, match=r"look like probabilities, for rows sum to 1: cubcal.predict\(probabilities=...\) takes them"):
        cubcal.predict(p.probabilities)
    with pytest.raises(TypeError, match="not logits and probabilities"):
        cubcal.predict(z, probabilities=p.probabilities)
    with pytest.raises(TypeError, match="none of them"):
        cubcal.predict()
    with pytest.raises(ValueError, match="takes numbers from 0 to 1"):
        cubcal.predict(probabilities=[[0.5, 1.5]])
    with pytest.raises(ValueError, match="row of zeros"):
        cubcal.predict(probabilities=[[0.0, 0.0]])


def test_one_number_for_two_classes():
    sigmoid = np.array([[0.9, 0.2, 0.5], [0.8, 0.1, 0.6]])
    p = cubcal.predict(positive=sigmoid)
    np.testing.assert_allclose(p.probabilities[:, 1], sigmoid.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(cubcal.predict(positive=sigmoid[0]).probabilities[:, 1], sigmoid[0])
    z = np.log(sigmoid / (1 - sigmoid))
    np.testing.assert_allclose(cubcal.predict(positive_logits=z).probabilities, p.probabilities, rtol=1e-12)
    with pytest.raises(ValueError, match="positive must be probabilities, from 0 to 1, but one is 1.5"):
        cubcal.predict(positive=[0.5, 1.5])
    with pytest.raises(ValueError, match=r"\[N\] or \[S, N\]"):
        cubcal.predict(positive=np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match=r"cubcal.as_logits\(positive=...\) or"):
        cubcal.predict(sigmoid[0])


def test_a_single_image_may_have_small_logits():
    assert cubcal.predict([[0.2, 0.7, 0.5]]).predicted[0] == 1


@pytest.mark.parametrize("bad, error, words", [
    (np.zeros((2, 3), int), TypeError, "float16, float32 or float64, not int64"),
    (np.zeros((2, 3), complex), TypeError, "not complex128"),
    (np.zeros((2, 3), np.longdouble), TypeError, "not float128|not longdouble"),
    ([["a", "b"]], TypeError, "not <U1"),
    (None, TypeError, "none of them"),
    (np.zeros(3), ValueError, r"\[S, N, K\]"),
    (np.zeros((1, 2, 3, 4)), ValueError, r"not \(1, 2, 3, 4\)"),
    (np.zeros((0, 3)), ValueError, "at least 1 pass, 1 sample and 2 classes"),
    (np.zeros((4, 1)), ValueError, "2 classes"),
    (np.zeros((1, 3000)), ValueError, "at most 2048"),
    ([[1.0], [1.0, 2.0]], (ValueError, TypeError), "unequal length|not object"),
])
def test_bad_arrays_are_refused_in_a_sentence(bad, error, words):
    with pytest.raises(error, match=words):
        cubcal.predict(bad)


def test_predictions_travel_to_other_processes():
    p = cubcal.predict(make_logits()[0])
    q = pickle.loads(pickle.dumps(p))
    for name in ("probabilities", "predicted", "confidence", "entropy", "aleatoric", "epistemic"):
        np.testing.assert_array_equal(getattr(p, name), getattr(q, name))
    assert q.passes == p.passes and repr(p) == "Prediction(samples=200, passes=6, classes=3)"
