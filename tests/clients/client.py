"""A program with a client of openapi-python-client: it must pass mypy and run."""

import sys

from reviews_service_client import Client
from reviews_service_client.api.agents import mcp
from reviews_service_client.api.datasets import (
    get_aspect_evidence,
    get_atom_feed,
    get_business,
    get_facets,
    get_feed,
    get_insights,
    get_reviews,
)
from reviews_service_client.api.hub import hub
from reviews_service_client.api.reviews import get_review, get_reviews_since, search_reviews
from reviews_service_client.models import (
    AspectEvidence,
    BusinessSummary,
    Facets,
    HubMode,
    HubRequest,
    Insights,
    JsonFeed,
    McpAnswer,
    McpRequest,
    McpRequestParams,
    Problem,
    Review,
    ReviewsDataset,
    SearchResult,
    SinceResult,
)
from reviews_service_client.types import UNSET, Unset

BASE = sys.argv[1]
client = Client(base_url=BASE, raise_on_unexpected_status=True)


def pages() -> list[Review]:
    found: list[Review] = []
    cursor: str | Unset = UNSET
    while True:
        page = search_reviews.sync(client=client, min_rating=4, limit=20, cursor=cursor)
        assert isinstance(page, SearchResult), page
        found += page.reviews
        cursor = page.next_cursor
        if isinstance(cursor, Unset):
            break
    assert len(found) == page.matched > 20, (len(found), page.matched)
    assert len({review.id for review in found}) == page.matched
    return found


def documents(review: Review) -> None:
    dataset = get_reviews.sync(client=client)
    assert isinstance(dataset, ReviewsDataset) and len(dataset.reviews) == dataset.aggregate_rating.review_count
    business = get_business.sync(client=client)
    assert isinstance(business, BusinessSummary) and business.business.name == dataset.business.name
    insights = get_insights.sync(client=client)
    assert isinstance(insights, Insights)
    evidence = get_aspect_evidence.sync(insights.aspects[0].id, client=client)
    assert isinstance(evidence, AspectEvidence) and evidence.matched > 0
    facets = get_facets.sync(client=client)
    assert isinstance(facets, Facets) and facets.services
    feed = get_feed.sync(client=client)
    assert isinstance(feed, JsonFeed) and len(feed.items) == 50
    atom = get_atom_feed.sync(client=client)
    assert isinstance(atom, str) and "</feed>" in atom
    since = get_reviews_since.sync(review.date, client=client)
    assert isinstance(since, SinceResult) and review.id in {one.id for one in since.reviews}
    one = get_review.sync(review.id, client=client)
    assert isinstance(one, Review) and one.text == review.text
    none = get_review.sync("none", client=client)
    assert isinstance(none, Problem) and none.status == 404
    wrong = search_reviews.sync(client=client, cursor="x")
    assert isinstance(wrong, Problem) and not isinstance(wrong.issues, Unset)


def ask(method: str, params: dict[str, object] | None = None) -> McpAnswer:
    given = UNSET if params is None else McpRequestParams.from_dict(params)
    request = McpRequest(jsonrpc="2.0", id=1, method=method, params=given)
    answer = mcp.sync_detailed(client=client, body=request)
    assert isinstance(answer.parsed, McpAnswer), answer
    return answer.parsed


def agent() -> None:
    who = {"name": "generated", "version": "1.0"}
    ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who})
    tools = ask("tools/list")
    assert not isinstance(tools.result, Unset) and tools.result["tools"]
    called = ask("tools/call", {"name": "get_business", "arguments": {}})
    assert not isinstance(called.result, Unset) and not called.result.to_dict().get("isError")
    unknown = ask("no/such")
    assert not isinstance(unknown.error, Unset) and unknown.error.code == -32601


def subscribe() -> None:
    def form(callback: str) -> HubRequest:
        return HubRequest(hub_mode=HubMode.SUBSCRIBE, hub_topic=f"{BASE}/feed.xml", hub_callback=callback)

    wrong = hub.sync_detailed(client=client, body=form("http://subscriber.example.com/"))
    assert wrong.status_code == 400 and (wrong.parsed or "").startswith("hub.callback"), wrong
    right = hub.sync_detailed(client=client, body=form("https://subscriber.example.com/python"))
    assert right.status_code == 202, right


documents(pages()[0])
agent()
subscribe()
