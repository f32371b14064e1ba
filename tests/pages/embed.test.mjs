// The examples of docs/EMBED.md, word for word, from a second origin.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after as atEnd, before, test } from "node:test";

import { SAMPLE, json, launch, watched } from "./browser.mjs";

const docs = readFileSync(process.env.EMBED_DOCS, "utf8").replaceAll("https://reviews.sample.test", SAMPLE);
const recipe = (heading, language) => {
  const part = docs.split(`\n## ${heading}\n`)[1].split("\n## ")[0];
  return part.split(`\`\`\`${language}\n`)[1].split("```")[0];
};
const browser = await launch();
let body = "";
const other = createServer((_, answer) => answer.setHeader("content-type", "text/html; charset=utf-8").end(`<!DOCTYPE html><title>Another site</title>${body}`));
before(() => new Promise((resolve) => other.listen(0, "127.0.0.1", resolve)));
atEnd(async () => {
  await browser.close();
  other.close();
});

// A page of another origin that shows `html`, its URL, and its faults.
async function otherPage(html, options = {}) {
  body = html;
  const origin = `http://localhost:${other.address().port}`;
  assert.notEqual(new URL(origin).origin, new URL(SAMPLE).origin);
  const { page, faults } = await watched(browser, { ...options, hosts: [origin] });
  // A missing icon is not a fault of the service.
  return { page, url: `${origin}/`, faults: () => faults.filter((one) => !one.includes("favicon.ico")) };
}

async function elsewhere(html, options) {
  const { page, url, faults } = await otherPage(html, options);
  await page.goto(url, { waitUntil: "networkidle0" });
  return { page, faults };
}

test("the iframe shows rating and newest reviews, and its links leave the frame", async () => {
  const html = recipe("An iframe", "html");
  const home = await (await fetch(`${SAMPLE}/developers`)).text();
  assert.ok(home.includes(html.trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")), "the snippet on /developers is another one");
  const { page, faults } = await elsewhere(html, { width: 360 });
  const frame = page.frames()[1];
  assert.equal(frame.url(), `${SAMPLE}/embed`);
  const { aggregate_rating: rating } = await json("/business.json");
  assert.equal(await frame.$eval(".score b", (one) => one.textContent), String(rating.rating_value));
  assert.equal((await frame.$$(".review")).length, 5);
  assert.ok(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
  await Promise.all([page.waitForNavigation(), frame.click(".review .head time")]);
  assert.ok(page.url().startsWith(`${SAMPLE}/reviews/`), page.url());
  assert.deepEqual(faults(), []);
  await page.close();
});

test("a filtered frame says so, and the notice leads to all reviews", async () => {
  const html = recipe("An iframe", "html").replace("/embed", "/embed?min_rating=5&limit=2");
  const { page, faults } = await elsewhere(html);
  const frame = page.frames()[1];
  const notice = await frame.$eval(".filtered", (one) => [one.checkVisibility(), one.textContent, one.querySelector("a").href]);
  assert.ok(notice[0] && notice[1].startsWith("Filtered: only reviews of 5 stars or more"), notice);
  assert.equal(notice[2], `${SAMPLE}/`);
  assert.deepEqual(faults(), []);
  await page.close();
});

test("frames have the height of their content, two on a page, and again when it changes", async () => {
  const html = recipe("An iframe", "html");
  const two = html + html.replace("/embed\"", "/embed?layout=grid&amp;limit=2\"");
  const { page, faults } = await elsewhere(two, { width: 360 });
  await page.waitForFunction(
    () => Array.from(document.querySelectorAll("iframe")).every((one) => Number.parseInt(one.style.height, 10) > 0),
    { timeout: 5000 },
  );
  const frame = (url) => page.frames().find((one) => one.url() === url);
  const given = await page.$$eval("iframe", (all) => all.map((one) => [one.src, Number.parseInt(one.style.height, 10)]));
  for (const [url, height] of given) {
    // A frame out of view is not laid out again, so its window may still have the first height.
    const needed = await frame(url).evaluate(() => document.documentElement.scrollHeight);
    assert.ok(needed <= height, `${url}: ${needed} of ${height} pixels`);
  }
  const [[first, before]] = given;
  await frame(first).evaluate(() => {
    document.querySelector(".review").style.paddingBottom = "300px";
  });
  await page.waitForFunction((least) => Number.parseInt(document.querySelector("iframe").style.height, 10) >= least, {}, before + 250);
  assert.deepEqual(faults(), []);
  await page.close();
});

test("a frame that another one pushes out of view has the height of its content even if its script loads late", async () => {
  const [frame, script] = recipe("An iframe", "html").trim().split("\n");
  const { page, url, faults } = await otherPage(script + frame + frame.replace("/embed\"", "/embed?limit=2\""));
  await page.setRequestInterception(true);
  const late = new Promise((resolve) =>
    page.on("request", (request) => {
      const isLate = request.url().endsWith("/embed.js") && request.frame().url().endsWith("limit=2");
      return isLate ? resolve(request) : request.continue();
    }),
  );
  const loaded = page.goto(url, { waitUntil: "load" });
  const held = await late;
  const heights = (least) =>
    page.waitForFunction(
      (least) => Array.from(document.querySelectorAll("iframe")).filter((one) => Number.parseInt(one.style.height, 10) > 0).length >= least,
      {},
      least,
    );
  await heights(1);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await held.continue();
  await heights(2);
  await loaded;
  assert.deepEqual(faults(), []);
  await page.close();
});

test("frames have the height of their content with a module, a loader, and in a shadow root", async () => {
  const [frame, script] = recipe("An iframe", "html").trim().split("\n");
  const source = script.split('src="')[1].split('"')[0];
  const shadow = `<div id="host"></div><script>document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = ${JSON.stringify(frame)};</script>`;
  for (const html of [
    `${frame}<script type="module" src="${source}"></script>`,
    `<script>const loaded = document.createElement("script"); loaded.src = "${source}"; document.head.append(loaded);</script>${frame}`,
    `<script>fetch("${source}").then((answer) => answer.text()).then((text) => new Function(text)());</script>${frame}`,
    `${script}${shadow}`,
  ]) {
    const { page, faults } = await elsewhere(html, { width: 360 });
    const height = () => {
      const root = document.getElementById("host")?.shadowRoot ?? document;
      return Number.parseInt(root.querySelector("iframe").style.height, 10);
    };
    await page.waitForFunction(height, { timeout: 5000 });
    const needed = await page.frames()[1].evaluate(() => document.documentElement.scrollHeight);
    const given = await page.evaluate(height);
    assert.ok(needed <= given && given !== 480, `${html}: ${given} of ${needed} pixels`);
    assert.deepEqual(faults(), []);
    await page.close();
  }
});

test("each layout fits 280 pixels", async () => {
  for (const layout of ["list", "grid"]) {
    const { page, faults } = await watched(browser, { width: 280 });
    await page.goto(`${SAMPLE}/embed?layout=${layout}`, { waitUntil: "load" });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${layout} scrolls sideways`);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test("chosen options change the preview and the line to copy", async () => {
  const { page, faults } = await watched(browser);
  await page.goto(`${SAMPLE}/embed/try`, { waitUntil: "networkidle0" });
  await page.select("#layout", "grid");
  await page.waitForFunction(() => document.querySelector("#tried").src.includes("layout=grid"));
  assert.match(await page.$eval("#snippet", (one) => one.textContent), /\/embed\?layout=grid"/);
  assert.deepEqual(faults, []);
  await page.close();
});

test("no other page can be framed", async () => {
  for (const path of ["/", "/insights", "/search", "/docs", "/embed/try"]) {
    const { page, faults } = await elsewhere(recipe("An iframe", "html").replace("/embed", path));
    const shown = await page.frames()[1].$(".wrap");
    assert.equal(shown, null, path);
    assert.ok(faults().some((one) => one.includes("frame-ancestors")), `${path}: ${faults()}`);
    await page.close();
  }
});

test("the badge is an image of the figure", async () => {
  const { page, faults } = await elsewhere(recipe("A badge", "html"));
  const [wide, high] = await page.$eval("img", (one) => [one.naturalWidth, one.naturalHeight]);
  assert.ok(wide > 200 && high === 36, `${wide} by ${high}`);
  const { aggregate_rating: rating } = await json("/business.json");
  const svg = await (await fetch(`${SAMPLE}/badge.svg`)).text();
  assert.ok(svg.includes(`★ ${rating.rating_value} · ${rating.review_count} reviews`), svg);
  assert.deepEqual(faults(), []);
  await page.close();
});

test("a page of another origin fetches reviews and shows them as text", async () => {
  const { page, faults } = await elsewhere(`<script type="module">${recipe("From a page of another origin", "js")}</script>`);
  const shown = await page.$$eval("blockquote", (all) => all.map((one) => one.textContent));
  const { reviews } = await json("/api/reviews/search?limit=3");
  assert.deepEqual(shown, reviews.map((review) => review.text));
  assert.deepEqual(faults(), []);
  await page.close();
});

test("a server sends its tag, and gets a body only after a change", async () => {
  const folder = mkdtempSync(join(tmpdir(), "embed-"));
  writeFileSync(join(folder, "server.mjs"), `${recipe("On a server", "js")}\nexport { reviews };`);
  const { reviews } = await import(join(folder, "server.mjs"));
  const statuses = [];
  const plain = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const answer = await plain(...given);
    statuses.push(answer.status);
    return answer;
  };
  const [first, second] = [await reviews(), await reviews()];
  globalThis.fetch = plain;
  assert.deepEqual(statuses, [200, 304]);
  assert.equal(first.reviews.length, 256);
  assert.deepEqual(second, first);
  rmSync(folder, { recursive: true });
});

test("a static site is built from the newest reviews, and not again if nothing changed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "embed-"));
  const script = recipe("While a static site is built", "sh");
  const build = () => execFileSync("sh", ["-eu", "-c", script], { cwd: folder, encoding: "utf8" });
  assert.match(build(), /200/);
  const kept = readFileSync(join(folder, "reviews.json"), "utf8");
  assert.equal(JSON.parse(kept).reviews.length, 256);
  assert.match(build(), /304/);
  assert.equal(readFileSync(join(folder, "reviews.json"), "utf8"), kept);
  assert.deepEqual(readdirSync(folder).sort(), ["reviews.etag", "reviews.json"]);
  rmSync(folder, { recursive: true });
});
