"""The same work in LangGraph: nanoseconds a piece, a line each. Compiled graphs, no checkpointer, as its docs begin.

`invoke` for one run (it is faster than `ainvoke`), `ainvoke` where several run at once.
"""

import asyncio
import operator
import time
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

ITEMS, AT_ONCE, REQUESTS = 10_000, 64, 1_000


class Tally(TypedDict):
    value: int
    count: Annotated[int, operator.add]


class Value(TypedDict):
    value: int


class Each(TypedDict):
    items: list[int]
    done: Annotated[list[tuple[int, int]], operator.add]


def bump(state: Tally):
    return {"value": state["value"] + 1, "count": 1}


async def bump_async(state: Tally):
    return bump(state)


async def bump_later(state: Tally):
    await asyncio.sleep(0)
    return bump(state)


def ten(*steps):
    graph = StateGraph(Tally)
    for i, step in enumerate(steps):
        graph.add_node(f"bump_{i}", step)
    graph.add_edge(START, "bump_0")
    for i in range(9):
        graph.add_edge(f"bump_{i}", f"bump_{i + 1}")
    graph.add_edge("bump_9", END)
    return graph.compile()


def one(step):
    graph = StateGraph(Value)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_edge("step", END)
    return graph.compile()


async def double(item):
    return {"done": [(item["index"], item["value"] * 2)]}


def fan():
    graph = StateGraph(Each)
    graph.add_node("double", double)
    sends = lambda state: [Send("double", {"index": i, "value": v}) for i, v in enumerate(state["items"])]
    graph.add_conditional_edges(START, sends, ["double"])
    graph.add_edge("double", END)
    return graph.compile()


CHAIN = ten(*[bump] * 10)
OF_MANY = ten(*[bump_later if i == 4 else bump_async for i in range(10)])
NESTED = one(lambda state: {"value": state["value"] + 1})
for _ in range(4):
    NESTED = one(NESTED)
FAN = fan()


def chain():
    for i in range(20):
        end = CHAIN.invoke({"value": i, "count": 0})
        assert (end["value"], end["count"]) == (i + 10, 10)
    return 200


def nested():
    for i in range(20):
        assert NESTED.invoke({"value": i})["value"] == i + 1
    return 20


def fan_out():
    end = asyncio.run(FAN.ainvoke({"items": list(range(ITEMS)), "done": []}, {"max_concurrency": AT_ONCE}))
    done = [double for _, double in sorted(end["done"])]
    assert len(done) == ITEMS and done[9_999] == 19_998
    return ITEMS


def requests():
    async def all_of_them():
        return await asyncio.gather(*(OF_MANY.ainvoke({"value": i, "count": 0}) for i in range(REQUESTS)))

    assert all(end["value"] == i + 10 for i, end in enumerate(asyncio.run(all_of_them())))
    return REQUESTS


for name, work, rounds in [("chain", chain, 20), ("nested", nested, 20), ("fan-out", fan_out, 3), ("requests", requests, 4)]:
    least = float("inf")
    for i in range(rounds + 1):
        start = time.perf_counter_ns()
        pieces = work()
        # the first warms up
        if i:
            least = min(least, (time.perf_counter_ns() - start) / pieces)
    print(f"LangGraph\t{name}\t{least:.1f}", flush=True)
