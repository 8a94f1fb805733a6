"""Tiny models with random weights, saved to disk the way real ones are."""

TEXTS = [
    "Walking to school lowered blood pressure in 41 children.",
    "premise: the trial ended early hypothesis: it was stopped 1 0",
    "<|user|> <|assistant|> user assistant system summary",
    "Sleep improved in 12 of 60 nurses who changed their shifts.",
]

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if enable_thinking is defined and not enable_thinking %}<nothink>{% endif %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tokenizer(*, template=None, classifier=False, longest=512):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from tokenizers.decoders import ByteLevel
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<pad>", "</s>", "<cls>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(TEXTS, trainer)
    if classifier:
        raw.post_processor = processors.TemplateProcessing(
            single="<cls> $A </s>",
            pair="<cls> $A </s> $B:1 </s>:1",
            special_tokens=[("<cls>", 2), ("</s>", 1)],
        )
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", model_max_length=longest
    )
    made.chat_template = template
    return made


def _save(model, made, folder):
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def causal(folder, *, template=TEMPLATE, context=256, seed=0, generation=None):
    """A two-layer Llama of about 40,000 weights, with a chat template."""
    import torch
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    made = tokenizer(template=template)
    config = LlamaConfig(
        vocab_size=len(made),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=context,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        initializer_range=0.6,
    )
    model = LlamaForCausalLM(config)
    if generation:
        model.generation_config = GenerationConfig(eos_token_id=1, pad_token_id=0, **generation)
    return _save(model, made, folder)


def learned_positions(folder, *, context=64):
    """A two-layer GPT-2: it has no position beyond its context."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(3)
    made = tokenizer(template=TEMPLATE)
    config = GPT2Config(
        vocab_size=len(made),
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=context,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        initializer_range=0.6,
    )
    return _save(GPT2LMHeadModel(config), made, folder)


def classifier(folder, labels=("CONTRADICTION", "NEUTRAL", "ENTAILMENT")):
    """A two-layer BERT that classifies pairs of at most 128 tokens."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    config = BertConfig(
        **_bert_sizes(),
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)},
    )
    made = tokenizer(classifier=True)
    return _save(BertForSequenceClassification(config), made, folder)


def base_without_head(folder):
    """A two-layer BERT that nobody trained to classify."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    return _save(BertModel(BertConfig(**_bert_sizes())), tokenizer(classifier=True), folder)


def roberta(folder):
    """A two-layer RoBERTa whose tokenizer knows no longest text: 64 of 66 positions are free."""
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification

    torch.manual_seed(4)
    made = tokenizer(classifier=True, longest=10**30)
    made.model_input_names = ["input_ids", "attention_mask"]
    config = RobertaConfig(
        **{**_bert_sizes(), "max_position_embeddings": 66, "pad_token_id": 1, "type_vocab_size": 1},
        num_labels=2,
        id2label={0: "not_entailment", 1: "entailment"},
        label2id={"not_entailment": 0, "entailment": 1},
    )
    return _save(RobertaForSequenceClassification(config), made, folder)


def _bert_sizes():
    return {
        "vocab_size": len(tokenizer()),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 128,
        "initializer_range": 0.6,
    }


def text2text(folder, longest=512):
    """A two-layer T5."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(2)
    made = tokenizer(longest=longest)
    config = T5Config(
        vocab_size=len(made),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        initializer_factor=3.0,
    )
    return _save(T5ForConditionalGeneration(config), made, folder)
