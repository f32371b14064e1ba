// A program with the types of openapi-typescript and openapi-fetch: it must compile and run.
import createClient from "openapi-fetch";
import { base, expect, message, opening } from "./expect.js";
import type { components, paths } from "./generated/fetch.js";

const client = createClient<paths>({ baseUrl: base });

async function pages(): Promise<components["schemas"]["Review"][]> {
  const found: components["schemas"]["Review"][] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const { data, error } = await client.GET("/api/reviews/search", {
      params: { query: { min_rating: 4, limit: 20, cursor } },
    });
    if (error) throw new Error(error.detail);
    found.push(...data.reviews);
    total = data.matched;
    cursor = data.next_cursor;
  } while (cursor);
  expect(found.length === total && total > 20, `${found.length} of ${total}`);
  expect(new Set(found.map((review) => review.id)).size === total, "a review twice");
  return found;
}

async function documents(review: components["schemas"]["Review"]): Promise<void> {
  const reviews = await client.GET("/reviews.json");
  expect(reviews.data?.reviews.length === reviews.data?.aggregate_rating.review_count, "the dataset");
  const business = await client.GET("/business.json");
  expect(business.data?.business.name === reviews.data?.business.name, "the business");
  const insights = await client.GET("/insights.json");
  const aspect = insights.data?.aspects?.[0];
  expect(aspect !== undefined, "no aspect");
  const evidence = await client.GET("/insights/aspects/{id}/evidence.json", { params: { path: { id: aspect.id } } });
  expect(evidence.data !== undefined && evidence.data.matched > 0, "no evidence");
  const facets = await client.GET("/facets.json");
  expect(facets.data !== undefined && facets.data.services.length > 0, "no facets");
  const feed = await client.GET("/api/feed.json");
  expect(feed.data?.items.length === 50, "the JSON Feed");
  const atom = await client.GET("/feed.xml", { parseAs: "text" });
  expect(atom.data?.includes("</feed>") === true, "the Atom feed");
  const since = await client.GET("/api/reviews/since/{date}", { params: { path: { date: review.date } } });
  expect(since.data?.reviews.some((one) => one.id === review.id) === true, "since its day");
  const one = await client.GET("/api/reviews/{id}", { params: { path: { id: review.id } } });
  expect(one.data?.text === review.text, "one review");
  const none = await client.GET("/api/reviews/{id}", { params: { path: { id: "none" } } });
  expect(none.error?.status === 404, "no review");
  const wrong = await client.GET("/api/reviews/search", { params: { query: { cursor: "x" } } });
  expect(wrong.error !== undefined && "issues" in wrong.error, "a wrong cursor is no issue");
}

async function agent(): Promise<void> {
  await client.POST("/mcp", { body: message("initialize", opening) });
  const tools = await client.POST("/mcp", { body: message("tools/list") });
  expect(Array.isArray(tools.data?.result?.["tools"]), "no tools");
  const call = message("tools/call", { name: "get_business", arguments: {} });
  const called = await client.POST("/mcp", { body: call });
  expect(called.data?.result?.["isError"] !== true && called.data?.error === undefined, "the tool failed");
  const unknown = await client.POST("/mcp", { body: message("no/such") });
  expect(unknown.data?.error?.code === -32601, "an unknown method");
}

async function hub(): Promise<void> {
  const form = (callback: string) => ({
    body: { "hub.mode": "subscribe", "hub.topic": `${base}/feed.xml`, "hub.callback": callback } as const,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    parseAs: "text" as const,
  });
  const wrong = await client.POST("/api/websub/hub", form("http://subscriber.example.com/"));
  const told: string | undefined = wrong.error;
  expect(wrong.response.status === 400 && told?.startsWith("hub.callback") === true, `the hub says ${told}`);
  const right = await client.POST("/api/websub/hub", form("https://subscriber.example.com/openapi-fetch"));
  expect(right.response.status === 202 && right.data !== undefined, `the hub says ${right.response.status}`);
}

const found = await pages();
expect(found[0] !== undefined, "no review");
await documents(found[0]);
await agent();
await hub();
