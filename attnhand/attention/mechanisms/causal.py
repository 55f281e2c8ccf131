"""The causal mask: no query looks at a token that comes after it.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3, "masked" attention.
"""

from dataclasses import replace

from attnhand.attention.mechanisms.base import Mechanism, Stage
from attnhand.attention.operations import Mask


def add_causal_mask(mechanism: Mechanism, window: int | None = None) -> Mechanism:
    """Return the mechanism (written for columns) with a stage ``masked`` before every softmax.

    Args:
        window: how many tokens a query sees, its own and those just before; None for all before.
    """
    masked_names = {each.maskable: _name_masked_stage(mechanism, each.maskable) for each in mechanism.attentions}
    raised = {each.powers: masked_names[each.maskable] for each in mechanism.attentions}
    stages: list[Stage] = []
    for stage in mechanism.stages:
        if stage.name in raised:
            scores, name = mechanism.get_stage(stage.input_names[0]), raised[stage.name]
            mask = Mask(window=window)
            stages.append(replace(scores, name=name, topic="masked", operation=mask, input_names=(scores.name,)))
            stage = replace(stage, input_names=(name,))
        stages.append(stage)
    return replace(
        mechanism,
        stages=tuple(stages),
        attentions=tuple(replace(each, masked=masked_names[each.maskable]) for each in mechanism.attentions),
        stage_chains=tuple(
            tuple(name for read in chain for name in ((read, masked_names[read]) if read in masked_names else (read,)))
            for chain in mechanism.stage_chains
        ),
    )


def _name_masked_stage(mechanism: Mechanism, scores: str) -> str:
    head = mechanism.get_stage(scores).head
    return f"h{head}.masked" if head else "masked"
