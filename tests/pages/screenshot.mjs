// The pictures of the README, with the sample: `/` on a desktop and on a phone, and a page of another site with the badge and
// the frame of docs/EMBED.md. `node screenshot.mjs FOLDER` writes front-page.png, phone.png and embed.png.
import { createServer } from "node:http";
import { join } from "node:path";

import { launch, SAMPLE, watched } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();
const { page, faults } = await watched(browser, { width: 1200 });

async function picture(name, viewport, url) {
  await page.setViewport(viewport);
  await page.goto(url, { waitUntil: "networkidle0" });
  await page.screenshot({ path: join(folder, name), optimizeForSpeed: false });
}

await picture("front-page.png", { width: 1200, height: 860 }, `${SAMPLE}/`);
await picture("phone.png", { width: 360, height: 720, deviceScaleFactor: 2, isMobile: true, hasTouch: true }, `${SAMPLE}/`);

const otherSite = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Saltbush Air &amp; Plumbing</title>
<link rel="icon" href="data:,">
<style>body { font: 17px/1.5 system-ui, sans-serif; margin: 0; color: #222 } header, main { padding: 1rem 2rem } header { background: #12324a; color: #fff }</style>
<header><strong>Saltbush Air &amp; Plumbing</strong></header>
<main><p>Heating, cooling and plumbing in the valley.</p>
<p><a href="${SAMPLE}/"><img src="${SAMPLE}/badge.svg" alt="Reviews" height="36" style="max-width:100%;height:auto"></a></p>
<iframe src="${SAMPLE}/embed?layout=grid&amp;limit=4" title="Reviews" width="100%" height="480" style="border:0"></iframe>
<script async src="${SAMPLE}/embed.js"></script></main></html>`;
const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(otherSite));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const origin = `http://127.0.0.1:${server.address().port}`;
await picture("embed.png", { width: 760, height: 860 }, `${origin}/`);
server.close();
await browser.close();
// Cancelled requests for icons, and the other site's own requests, are not faults.
const real = faults.filter((fault) => !fault.includes("ERR_ABORTED") && !fault.includes(origin));
if (real.length > 0) throw new Error(real.join("\n"));
