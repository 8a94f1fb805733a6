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


def tokenizer(*, template=None, classifier=False):
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
        tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", model_max_length=512
    )
    made.chat_template = template
    return made


def causal(folder, *, template=TEMPLATE, context=256, seed=0):
    """A two-layer Llama of about 40,000 weights, with a chat template."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

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
    LlamaForCausalLM(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def classifier(folder, labels=("CONTRADICTION", "NEUTRAL", "ENTAILMENT")):
    """A two-layer BERT that classifies pairs."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    made = tokenizer(classifier=True)
    config = BertConfig(
        vocab_size=len(made),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=128,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)},
        initializer_range=0.6,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def text2text(folder):
    """A two-layer T5."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(2)
    made = tokenizer()
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
    T5ForConditionalGeneration(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder
