"""The class as a Python object: constructor, method, property, copies, files, and its errors."""

import copy
import io
import pickle

import torch

from common import Net, close, load, say

load()
IdentityConvClass = torch.classes.my_ops.IdentityConvClass

checker = IdentityConvClass(3)
x = torch.randn(2, 3, 4)
assert checker.channels == 3
assert torch.equal(checker.forward(x), x)
say("constructor, method, property")


def through_torch_save(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def through_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


for name, road in (("copy.deepcopy", copy.deepcopy), ("pickle", through_pickle), ("torch.save", through_torch_save)):
    other = road(checker)
    assert other.channels == 3 and torch.equal(other.forward(x), x), name
    model = Net().eval()
    close(road(model)(x[..., None]), model(x[..., None]))
say("copy.deepcopy, pickle, torch.save and torch.load: of the object, and of a model that holds it")


def refused(call, *words):
    try:
        call()
    except ValueError as error:
        assert all(word in str(error) for word in words), f"{words} are not all in: {error}"
        return str(error).splitlines()[0]
    raise AssertionError("no ValueError")


say(f"ValueError: {refused(lambda: IdentityConvClass(0), 'channels', '0')}")
say(f"ValueError: {refused(lambda: IdentityConvClass(-2), 'channels', '-2')}")
say(f"ValueError: {refused(lambda: checker.forward(torch.ones(2, 5)), '3', '5')}")
say(f"ValueError: {refused(lambda: checker.forward(torch.ones(3)), '2', '1')}")
assert torch.equal(checker.forward(x), x)
