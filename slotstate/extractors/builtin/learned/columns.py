"""The columns of the scorer's table: what it is told of a candidate."""

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, USER_ACTS
from slotstate.extractors.builtin.learned.nearness import SORTS
from slotstate.extractors.builtin.learned.tagger import KINDS

GROUPS: Final = (
    [f"act_{one}" for one in USER_ACTS],
    [f"sys_{one}" for one in SYSTEM_ACTS],
    "length spans refers question first_turn anycue domains".split(),
    "text cat bool other required asked asked_rank told ask_logit ask_rank tell_logit tell_rank held held_any held_age "
    "held_in_sys held_in_user name_user name_sys route route_rank recent domain_held domain_age domain_named asks_any "
    "opened tool".split(),
    [*(f"s_{sort}" for sort in SORTS), "alike_user", "alike_sys"],
    "topic_user topic_user_margin topic_sys topic_sys_margin".split(),
    "u u_lax u_fit u_margin u_rank u_other u_best u_length u_at u_count".split(),
    "u_near u_near_margin u_near_best u_inside".split(),
    [f"u_{kind}" for kind in KINDS],
    "a a_fit a_margin a_rank a_last a_lax a_count a_newest a_place a_name a_near a_near_margin".split(),
    "e e_fit e_margin e_ago e_newer e_lax e_offer e_confirm e_request e_place e_name".split(),
    "h h_logit h_name h_same h_age h_count h_best h_rank h_fit h_fit_best h_sort h_from h_to h_said h_near".split(),
    "o_user o_sys o_logit o_rank o_margin o_earlier o_count o_user_best o_earlier_ago o_exact o_none o_true "
    "o_shared".split(),
    "rule rule_other rule_elsewhere same_held within_held holds_held any digits words value_seen offered "
    "rivals best_fit fit_rank any_near".split(),
)  # fmt: skip
NAMES: Final = [name for group in GROUPS for name in group]
AT: Final = {name: index for index, name in enumerate(NAMES)}
