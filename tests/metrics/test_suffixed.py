import pickle

from toolkit.metrics.base import InputMetric, Metric, ScoreDefinition, Value, call_metric
from toolkit.metrics.sentence_ratio import SentenceRatio
from toolkit.metrics.suffixed import SuffixedMetric


class Shown:
    """A metric that reads the input alone."""

    name = "shown"
    version = 3
    Params = dict
    reads = ("output", "input")

    def definitions(self):
        return (ScoreDefinition(name="shown", title="Shown"),)

    def signature(self):
        return "shown|version:3"

    def fingerprint(self):
        return {"name": "shown"}

    def score(self, predictions, references, inputs):
        return {"shown": [Value(float(len(text))) for text in inputs]}


def plain():
    return SentenceRatio(SentenceRatio.Params(profile="paper"))


def test_names_have_the_suffix_and_numbers_do_not_change():
    metric = SuffixedMetric(plain(), "paper")
    texts = (["One. Two."], ["Only 1.5 of one."])
    assert metric.name == "sentence_ratio.paper"
    assert [d.name for d in metric.definitions()] == ["sentence_ratio.paper"]
    assert metric.definitions()[0].title.endswith("(paper)")
    assert metric.definitions()[0].target == plain().definitions()[0].target
    assert metric.score(*texts)["sentence_ratio.paper"] == plain().score(*texts)["sentence_ratio"]
    assert metric.signature() == plain().signature()
    assert metric.reads == plain().reads


def test_it_is_a_metric_like_any_other():
    metric = SuffixedMetric(plain(), "paper")
    assert isinstance(metric, Metric)
    again = pickle.loads(pickle.dumps(metric))
    assert (again.name, again.fingerprint()) == (metric.name, metric.fingerprint())
    assert metric.fingerprint()["version"] == SentenceRatio.version


def test_a_metric_that_reads_the_input_still_does():
    metric = SuffixedMetric(Shown(), "twice")
    assert isinstance(metric, InputMetric)
    texts = {"output": ["a"], "reference": [""], "input": ["four"]}
    assert call_metric(metric, texts) == {"shown.twice": [Value(4.0)]}


def test_another_suffix_is_another_result():
    one, other = (SuffixedMetric(plain(), suffix).fingerprint() for suffix in ("a", "b"))
    assert one != other
