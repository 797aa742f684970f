#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the header of a .safetensors file that a public model would have, by its shapes (eval/models.yaml).

Workload modelload reads no more of such a file, so it ends there. All tensors are in one file, in the order in which a
layer uses them. With --part N it is an N-th of the model: of its layers, and of the rows of its vocabulary, so that
each kind of tensor has the share that it has in all of it.

  eval/safetensors_header.py llama-3-8b llama.safetensors --part 8
  eval/safetensors_header.py --list
"""

import argparse
import json
import math
import os
import pathlib
import struct
import sys

import yaml

MODELS = pathlib.Path(__file__).resolve().parent / "models.yaml"
BYTES = {"F16": 2, "BF16": 2}


def linear(name, rows, columns, bias):
    yield f"{name}.weight", [rows, columns]
    if bias:
        yield f"{name}.bias", [rows]


def norm(name, width, bias):
    yield f"{name}.weight", [width]
    if bias:
        yield f"{name}.bias", [width]


def opt(m, layers, vocabulary):
    h = m["hidden"]
    yield "model.decoder.embed_tokens.weight", [vocabulary, h]
    yield "model.decoder.embed_positions.weight", [m["positions"], h]
    for i in range(layers):
        at = f"model.decoder.layers.{i}"
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from linear(f"{at}.self_attn.{part}", h, h, True)
        yield from norm(f"{at}.self_attn_layer_norm", h, True)
        yield from linear(f"{at}.fc1", m["ffn"], h, True)
        yield from linear(f"{at}.fc2", h, m["ffn"], True)
        yield from norm(f"{at}.final_layer_norm", h, True)
    yield from norm("model.decoder.final_layer_norm", h, True)


def llama(m, layers, vocabulary):
    h, kv = m["hidden"], m["kv_heads"] * m["head_size"]
    yield "model.embed_tokens.weight", [vocabulary, h]
    for i in range(layers):
        at = f"model.layers.{i}"
        yield from norm(f"{at}.input_layernorm", h, False)
        yield from linear(f"{at}.self_attn.q_proj", m["heads"] * m["head_size"], h, m["biases"])
        yield from linear(f"{at}.self_attn.k_proj", kv, h, m["biases"])
        yield from linear(f"{at}.self_attn.v_proj", kv, h, m["biases"])
        yield from linear(f"{at}.self_attn.o_proj", h, m["heads"] * m["head_size"], False)
        yield from norm(f"{at}.post_attention_layernorm", h, False)
        for part, rows, columns in (("gate", m["ffn"], h), ("up", m["ffn"], h), ("down", h, m["ffn"])):
            yield from linear(f"{at}.mlp.{part}_proj", rows, columns, False)
    yield from norm("model.norm", h, False)
    yield "lm_head.weight", [vocabulary, h]


def falcon(m, layers, vocabulary):
    h = m["hidden"]
    yield "transformer.word_embeddings.weight", [vocabulary, h]
    for i in range(layers):
        at = f"transformer.h.{i}"
        yield from norm(f"{at}.input_layernorm", h, True)
        all_heads = (m["heads"] + 2 * m["kv_heads"]) * m["head_size"]
        yield from linear(f"{at}.self_attention.query_key_value", all_heads, h, False)
        yield from linear(f"{at}.self_attention.dense", h, m["heads"] * m["head_size"], False)
        yield from linear(f"{at}.mlp.dense_h_to_4h", m["ffn"], h, False)
        yield from linear(f"{at}.mlp.dense_4h_to_h", h, m["ffn"], False)
    yield from norm("transformer.ln_f", h, True)


FAMILIES = {"opt": opt, "llama": llama, "falcon": falcon}


def tensors(model, part=1):
    """(name, shape) of each."""
    layers, vocabulary = max(1, model["layers"] // part), max(1, model["vocabulary"] // part)
    return FAMILIES[model["family"]](model, layers, vocabulary)


def models():
    """By name; ends the script if the tensors of one are not as many numbers as its page says."""
    found = yaml.safe_load(MODELS.read_text())
    for name, model in found.items():
        numbers = sum(math.prod(shape) for _, shape in tensors(model))
        if numbers != model["parameters"]:
            sys.exit(f"{MODELS}: {name}: its tensors have {numbers} numbers, not {model['parameters']}; correct it")
    return found


def header(model, part=1):
    entries, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors(model, part):
        end = at + math.prod(shape) * BYTES[model["dtype"]]
        entries[name] = {"dtype": model["dtype"], "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def write(name, file, part=1):
    """`file`, a path, whole, then renamed."""
    new = file.with_name(file.name + ".new")
    new.write_bytes(header(models()[name], part))
    os.replace(new, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model of eval/models.yaml")
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--part", type=int, default=1, help="1: the whole model")
    parser.add_argument("--list", action="store_true", help="names of the models")
    args = parser.parse_args()
    known = models()
    if args.list:
        print("\n".join(known))
        return
    if args.model not in known:
        parser.error(f"'{args.model}' is no model of {MODELS}; use {', '.join(known)}")
    if args.file is None:
        parser.error("no file is named; give one")
    if args.part < 1:
        parser.error(f"--part {args.part} is not 1 or more")
    try:
        write(args.model, args.file, args.part)
    except OSError as error:
        print(f"{args.file}: {error.strerror}; name a file that can be written", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
