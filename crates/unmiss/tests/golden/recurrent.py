"""Golden values of recurrent layers, from PyTorch: `python recurrent.py > recurrent.json`.

Two series of 3 and 1 steps of 2 numbers through 3 units. Weights are written as unmiss holds them: `[inputs, gates x
units]`, an LSTM's gates in the order i f g o, a GRU's as n r z for the input, r z n for the state, and a bias with four
parts (of a GRU n r z from input and state together, and what is added to the state's part of n).
"""

import json

import torch

INPUTS, UNITS, LENGTHS = 2, 3, [3, 1]


def blocks(tensor, order):
    parts = tensor.detach().chunk(len(order))
    return torch.cat([parts[index] for index in order])


def case(kind):
    torch.manual_seed(5)
    layer = kind(INPUTS, UNITS)
    series = [torch.randn(length, INPUTS, requires_grad=True) for length in LENGTHS]
    pull = torch.randn(len(LENGTHS), UNITS)
    packed = torch.nn.utils.rnn.pack_sequence(series)
    _, last = layer(packed)
    last = (last[0] if isinstance(last, tuple) else last)[0]
    (last * pull).sum().backward()
    lstm = kind is torch.nn.LSTM
    # PyTorch's order is i f g o and r z n.
    of_input, of_state = ([0, 1, 2, 3], [0, 1, 2, 3]) if lstm else ([2, 0, 1], [0, 1, 2])

    def arrays(at):
        w, u = at(layer.weight_ih_l0), at(layer.weight_hh_l0)
        b, c = at(layer.bias_ih_l0), at(layer.bias_hh_l0)
        return blocks(w, of_input).T, blocks(u, of_state).T, b, c

    w, u, b, c = arrays(lambda tensor: tensor.detach())
    gw, gu, gb, gc = arrays(lambda tensor: tensor.grad)
    if lstm:
        bias, bias_gradient = b + c, gb
    else:
        parts = [2, 0, 1]
        bias = blocks(b, parts)
        bias[UNITS:] += blocks(c, parts)[UNITS:]
        bias = torch.cat([bias, c.chunk(3)[2]])
        bias_gradient = torch.cat([blocks(gb, parts), gc.chunk(3)[2]])
    flat = lambda tensor: [round(value, 7) for value in tensor.reshape(-1).tolist()]
    return {
        "input": flat(torch.cat([series[0][:1], series[1][:1], series[0][1:]]).detach()),
        "weights": [flat(w), flat(u), flat(bias)],
        "pull": flat(pull),
        "last": flat(last.detach()),
        "input_gradient": flat(torch.cat([series[0].grad[:1], series[1].grad[:1], series[0].grad[1:]])),
        "gradients": [flat(gw), flat(gu), flat(bias_gradient)],
    }


print(json.dumps({"lstm": case(torch.nn.LSTM), "gru": case(torch.nn.GRU)}))
