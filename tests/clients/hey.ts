// A program with a client of hey-api: it must compile and run.
import { base, expect, message, opening } from "./expect.js";
import { client } from "./generated/hey/client.gen.js";
import * as api from "./generated/hey/index.js";

client.setConfig({ baseUrl: base });

async function pages(): Promise<api.Review[]> {
  const found: api.Review[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const { data, error } = await api.searchReviews({ query: { min_rating: 4, limit: 20, cursor } });
    if (error) throw new Error(error.detail);
    expect(data !== undefined, "no page");
    found.push(...data.reviews);
    total = data.matched;
    cursor = data.next_cursor;
  } while (cursor);
  expect(found.length === total && total > 20, `${found.length} of ${total}`);
  expect(new Set(found.map((review) => review.id)).size === total, "a review twice");
  return found;
}

async function documents(review: api.Review): Promise<void> {
  const reviews = await api.getReviews();
  expect(reviews.data?.reviews.length === reviews.data?.aggregate_rating.review_count, "the dataset");
  const business = await api.getBusiness();
  expect(business.data?.business.name === reviews.data?.business.name, "the business");
  const insights = await api.getInsights();
  const aspect = insights.data?.aspects?.[0];
  expect(aspect !== undefined, "no aspect");
  const evidence = await api.getAspectEvidence({ path: { id: aspect.id } });
  expect(evidence.data !== undefined && evidence.data.matched > 0, "no evidence");
  const facets = await api.getFacets();
  expect(facets.data !== undefined && facets.data.services.length > 0, "no facets");
  const feed = await api.getFeed();
  expect(feed.data?.items.length === 50, "the JSON Feed");
  const atom = await api.getAtomFeed({ parseAs: "text" });
  expect(atom.data?.includes("</feed>") === true, "the Atom feed");
  const since = await api.getReviewsSince({ path: { date: review.date } });
  expect(since.data?.reviews.some((one) => one.id === review.id) === true, "since its day");
  const one = await api.getReview({ path: { id: review.id } });
  expect(one.data?.text === review.text, "one review");
  const none = await api.getReview({ path: { id: "none" } });
  expect(none.error?.status === 404, "no review");
  const wrong = await api.searchReviews({ query: { cursor: "x" } });
  expect(wrong.error?.status === 400, "a wrong cursor");
}

/** This generator gives the answer of a status without a body (202, of a notification) the type `unknown`. */
function answer(data: unknown): api.McpAnswer {
  expect(typeof data === "object" && data !== null && "jsonrpc" in data, "no answer");
  return data as api.McpAnswer;
}

async function agent(): Promise<void> {
  await api.mcp({ body: message("initialize", opening) });
  const tools = await api.mcp({ body: message("tools/list") });
  expect(Array.isArray(answer(tools.data).result?.["tools"]), "no tools");
  const call = message("tools/call", { name: "get_business", arguments: {} });
  const called = await api.mcp({ body: call });
  const { result, error } = answer(called.data);
  expect(result?.["isError"] !== true && error === undefined, "the tool failed");
  const unknown = await api.mcp({ body: message("no/such") });
  expect(answer(unknown.data).error?.code === -32601, "an unknown method");
}

async function hub(): Promise<void> {
  const form = (callback: string): api.HubRequest => ({
    "hub.mode": "subscribe",
    "hub.topic": `${base}/feed.xml`,
    "hub.callback": callback,
  });
  const wrong = await api.hub({ body: form("http://subscriber.example.com/") });
  const told: string | undefined = wrong.error;
  expect(wrong.response?.status === 400 && told?.startsWith("hub.callback") === true, `the hub says ${told}`);
  const right = await api.hub({ body: form("https://subscriber.example.com/hey-api") });
  expect(right.response?.status === 202 && typeof right.data === "string", `the hub says ${right.error}`);
}

const found = await pages();
expect(found[0] !== undefined, "no review");
await documents(found[0]);
await agent();
await hub();
