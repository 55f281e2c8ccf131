"""The causal mask: no query looks at a token that comes after it.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3, "masked" attention.
"""

from dataclasses import replace

from attnhand.attention.mechanisms.base import Mechanism, Stage
from attnhand.attention.operations import Mask, Power


def add_causal_mask(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism (written for columns) with a stage ``masked`` before every softmax."""
    stages: list[Stage] = []
    masked_names: dict[str, str] = {}
    for stage in mechanism.stages:
        if isinstance(stage.operation, Power):
            scores = stage.input_names[0]
            name = f"h{stage.head}.masked" if stage.head else "masked"
            stages.append(replace(stage, name=name, topic="masked", operation=Mask()))
            stage = replace(stage, input_names=(name,))
            masked_names[scores] = name
        stages.append(stage)
    chains = tuple(
        tuple(name for read in chain for name in ([read, masked_names[read]] if read in masked_names else [read]))
        for chain in mechanism.stage_chains
    )
    return replace(mechanism, stages=tuple(stages), stage_chains=chains)
