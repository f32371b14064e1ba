// An agent with the official TypeScript SDK of MCP, over HTTP and over standard input and output: both list the same tools and
// give the same answers. Arguments: the base URL, the binary, the URL of its database.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [base, binary, database] = process.argv.slice(2);

async function use(transport) {
  const client = new Client({ name: "agent", version: "1.0" });
  await client.connect(transport);
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const business = await client.callTool({ name: "get_business", arguments: {} });
  const found = await client.callTool({ name: "search_reviews", arguments: { rating: 5, limit: 3 } });
  const wrong = await client.callTool({ name: "search_reviews", arguments: { rating: 9 } });
  await client.close();
  assert.ok(tools.includes("get_business") && tools.includes("search_reviews"), tools.join());
  assert.equal(found.structuredContent.reviews.length, 3);
  assert.equal(wrong.isError, true);
  return { tools, name: business.structuredContent.business.name, total: found.structuredContent.matched };
}

const overHttp = await use(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)));
const environment = { ...process.env, DATABASE_URL: database };
const overStdio = await use(new StdioClientTransport({ command: binary, args: ["mcp"], env: environment }));
assert.deepEqual(overStdio, overHttp);
