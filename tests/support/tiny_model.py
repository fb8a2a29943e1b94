"""A language model whose answers are known: each token has one token that follows it.

    python tiny_model.py FILE

writes it as a GGUF file of some 300 kB. Its chat template looks at the prompt and ends with the token
that begins the answer. Needs the package gguf.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
from gguf import GGUFWriter, TokenType

END = "</s>"
READ = (
    '<tool_call>\n{"name": "read", ',
    '"arguments": {"path": ',
    '"note.txt"}}\n',
    "</tool_call>",
)
ADD = ('<tool_call>\n{"name": "add", ', '"arguments": {"a": 2,', ' "b": 3}}\n', "</tool_call>")
ANSWERS = {
    "<|hello|>": ("Hello", ",", " I am", " very", " small", "."),
    "<|reason|>": ("<think>", "\nWho", " is it", "?\n", "</think>", "\n\nIt is", " you", "!"),
    "<|muse|>": ("<think>\nHm", ", no"),
    "<|read|>": ("I look.\n", *READ),
    "<|add|>": ADD,
    "<|numbers|>": tuple(f"{number} " for number in range(1, 13)),
    "<|result|>": ("The word", " is", " heron", "."),
    "<|endless|>": ("and", " on ", "and"),
}
"""The tokens of each answer, by the one that the template ends with; one that follows itself is endless."""

TEMPLATE = """\
{%- if tools %}<|im_start|>system
Call a function in this form:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.role == "assistant" and message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}{{ message.content }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% set said = messages[-1].content | string %}
{%- if messages[-1].role == "tool" %}<|result|>
{%- elif "word" in said %}<|read|>
{%- elif "tool" in said %}<|add|>
{%- elif "numbers" in said %}<|numbers|>
{%- elif "endless" in said %}<|endless|>
{%- elif "muse" in said %}<|muse|>
{%- elif "reason" in said %}<|reason|>
{%- else %}<|hello|>
{%- endif %}
{%- endif %}"""

_WIDTH = 64
"""Numbers of an embedding: one for each token that another follows, and one for all others."""


def write(path: str) -> None:
    """Write the model to a file."""
    tokens, kinds = _vocabulary()
    writer = GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(32768)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_WIDTH)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(tokens.index(END))
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    for name, numbers in _tensors(tokens).items():
        writer.add_tensor(name, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary() -> tuple[list[str], list[int]]:
    """Return the tokens and their kinds: marks, bytes, characters, and the pieces of the answers."""
    marks = ["<unk>", "<s>", END, "<|im_start|>", "<|im_end|>", *ANSWERS]
    characters = ["\u2581", *map(chr, range(33, 127))]
    pieces = dict.fromkeys(piece for answer in ANSWERS.values() for piece in answer)
    groups = {
        TokenType.CONTROL: marks,
        TokenType.BYTE: [f"<0x{byte:02X}>" for byte in range(256)],
        TokenType.NORMAL: characters,
        TokenType.USER_DEFINED: [piece for piece in pieces if piece not in characters],
    }
    kinds = [int(kind) for kind, group in groups.items() for _ in group]
    return [token for group in groups.values() for token in group], kinds


def _tensors(tokens: list[str]) -> dict[str, np.ndarray]:
    """Return weights by which a token decides the next one alone; all others do nothing."""
    follows: dict[str, str] = {}
    for begin, answer in ANSWERS.items():
        ends = () if answer[0] == answer[-1] else (END,)
        for token, after in pairwise((begin, *answer, *ends)):
            if follows.setdefault(token, after) != after:
                raise ValueError(f"{token!r} would be followed by two tokens")
    embedding = np.zeros((len(tokens), _WIDTH), np.float32)
    output = np.zeros_like(embedding)
    embedding[:, 0] = 1
    output[tokens.index(END), 0] = 10
    for place, (token, after) in enumerate(follows.items(), 1):
        embedding[tokens.index(token)] = np.eye(_WIDTH)[place]
        output[tokens.index(after), place] = 10
    nothing = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    square, one = np.zeros((_WIDTH, _WIDTH), np.float32), np.ones(_WIDTH, np.float32)
    return {
        "token_embd.weight": embedding,
        "output.weight": output,
        "output_norm.weight": one,
        "blk.0.attn_norm.weight": one,
        "blk.0.ffn_norm.weight": one,
        **{f"blk.0.{name}.weight": square for name in nothing},
    }


if __name__ == "__main__":
    write(sys.argv[1])
