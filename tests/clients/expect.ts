// Checks that all clients share.

export const base: string = (globalThis as unknown as { process: { argv: string[] } }).process.argv[2] ?? "";

export function expect(truth: boolean, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

/** A message to `/mcp`, as in the OpenAPI document. */
export function message(method: string, params?: Record<string, unknown>): {
  jsonrpc: "2.0";
  id: number;
  method: string;
  params?: Record<string, unknown>;
} {
  return params === undefined ? { jsonrpc: "2.0", id: 1, method } : { jsonrpc: "2.0", id: 1, method, params };
}

export const opening = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "generated", version: "1.0" },
};
