from hypothesis import given
from hypothesis import strategies as st

from toolkit.models.windows import Window, cut_windows


@given(
    length=st.integers(1, 200),
    context=st.integers(2, 40),
    share=st.floats(0, 1),
)
def test_every_token_but_the_first_counts_once_with_context_before_it(length, context, share):
    stride = 1 + int(share * (context - 2))
    tokens = list(range(length))
    windows, cut = cut_windows(tokens, context, stride, "stride")
    assert cut == 0
    counted = [token for window in windows for token in window.tokens[window.first :]]
    assert counted == tokens[1:]
    for window in windows:
        assert window.first >= 1
        assert len(window.tokens) <= context
        assert list(window.tokens) == list(range(window.tokens[0], window.tokens[-1] + 1))
    for window in windows[1:]:
        assert window.first >= context - stride


@given(length=st.integers(1, 60), context=st.integers(2, 40))
def test_truncation_keeps_the_beginning_and_counts_the_rest(length, context):
    (window,), cut = cut_windows(list(range(length)), context, 1, "truncate")
    assert window == Window(tuple(range(min(length, context))), 1)
    assert cut == max(0, length - context)
