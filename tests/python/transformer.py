"""A transformer whose layers are normalised by a function that is given, and its training."""

import torch
import torch.nn.functional as F


class Norm(torch.nn.Module):
    """What a user would write around the operator."""

    def __init__(self, width, norm):
        super().__init__()
        self.weight, self.norm = torch.nn.Parameter(torch.ones(width)), norm

    def forward(self, x):
        return self.norm(x, self.weight, 1e-5)


class Block(torch.nn.Module):
    def __init__(self, width, heads, norm):
        super().__init__()
        self.heads = heads
        self.before, self.between = Norm(width, norm), Norm(width, norm)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.before(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.silu(self.up(self.between(x))))


def theirs(x, weight, eps):
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


def losses(norm, compiled, autocast=False, steps=12, device="cpu"):
    torch.manual_seed(5)
    model = torch.nn.Sequential(Block(32, 4, norm), Block(32, 4, norm), Norm(32, norm), torch.nn.Linear(32, 32)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    graphs = []

    def counting(graph, inputs):
        graphs.append(graph)
        return torch._dynamo.lookup_backend("inductor")(graph, inputs)

    run = torch.compile(model, backend=counting, fullgraph=True) if compiled else model
    x, result = torch.randn(4, 10, 32).to(device), []
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast):
            # The next element of the sequence.
            loss = F.mse_loss(run(x)[:, :-1].float(), x[:, 1:].float())
        loss.backward()
        optimizer.step()
        result.append(loss.item())
    assert not compiled or len(graphs) == 1
    return torch.tensor(result)
