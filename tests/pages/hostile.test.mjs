// In a real browser, no text of a review, the firm or a URL runs as a script or loads anything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after as atEnd, test } from "node:test";

import { HOSTILE, launch, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

const { reviews, business } = await (await fetch(`${HOSTILE}/reviews.json`)).json();
const payloads = JSON.parse(readFileSync(process.env.HOSTILE_PAYLOADS, "utf8"));
const paths = [
  "/",
  "/search",
  "/insights",
  "/transparency",
  "/search?aspect=price",
  "/embed",
  "/badge.svg",
  "/reviews.json",
  "/api/feed.json",
  "/feed.xml",
  "/llms.txt",
  ...reviews.map((review) => `/reviews/${review.id}`),
  ...business.service_areas.map((area) => `/insights?area=${encodeURIComponent(area)}`),
  ...payloads.flatMap((payload) => [
    `/search?query=${encodeURIComponent(payload)}&rating=${encodeURIComponent(payload)}`,
    `/search?source=${encodeURIComponent(payload)}`,
    `/insights?technician=${encodeURIComponent(payload)}`,
    `/embed?theme=${encodeURIComponent(payload)}`,
    `/${encodeURIComponent(payload)}`,
  ]),
];

test("no payload runs, loads or opens anything, wherever it is shown", async () => {
  assert.equal(reviews.length, payloads.length * 2);
  const { page, faults } = await watched(browser);
  for (const path of paths) {
    const answer = await page.goto(HOSTILE + path, { waitUntil: "load" });
    if (!answer.headers()["content-type"].startsWith("text/html")) {
      assert.equal(await page.evaluate(() => typeof ran), "undefined", path);
      continue;
    }
    // Events of user actions.
    await page.$$eval("*", (all) =>
      all.forEach((one) => ["mouseover", "focus", "toggle", "animationstart"].forEach((name) => one.dispatchEvent(new Event(name)))),
    );
    const ran = await page.evaluate(() => [typeof ran, document.querySelectorAll("iframe, object, embed, base[href], img[src='x'], [onerror]").length]);
    assert.deepEqual(ran, ["undefined", 0], path);
    // Resources other than pages name no icon, so browsers request the default one.
    assert.deepEqual(faults.filter((one) => !one.includes("/favicon.ico")), [], path);
  }
  await page.close();
});

test("a payload is shown as text", async () => {
  const { page, faults } = await watched(browser);
  for (const review of reviews) {
    await page.goto(`${HOSTILE}/reviews/${review.id}`);
    const [title, text] = await page.evaluate(() => [document.querySelector("article h1").textContent, document.querySelector("article .text").textContent]);
    assert.equal(title, review.title);
    assert.equal(text, review.text);
    const data = await page.$eval("script[type='application/ld+json']", (one) => JSON.parse(one.textContent));
    assert.equal(data.reviewBody, review.text);
  }
  assert.deepEqual(faults, []);
  await page.close();
});
