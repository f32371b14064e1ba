// People search, filter, page, open, follow a figure to its sentences, and copy: with a mouse, by keyboard, without JavaScript.
import assert from "node:assert/strict";
import { after as atEnd, test } from "node:test";

import { SAMPLE, after, json, launch, links, texts, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

async function searched(page) {
  await page.goto(`${SAMPLE}/`);
  await page.type("#query", "water");
  await after(page, () => page.click("form.find button[type=submit]"));
  await page.select("#rating", "5");
  await after(page, () => page.click("form.search button[type=submit]"));
  const found = await json("/api/reviews/search?query=water&rating=5&match=words");
  assert.equal(await page.$eval("h1", (one) => one.textContent), `${found.matched} reviews`);
  assert.equal(await page.$eval("#query", (one) => one.value), "water");
  const permalinks = await links(page, ".reviews .head a[href^='/reviews/']");
  assert.deepEqual(permalinks, found.reviews.map((review) => `/reviews/${review.id}`));
}

for (const javascript of [true, false]) {
  const how = javascript ? "" : " without JavaScript";
  test(`search, filter, page and open${how}`, async () => {
    const { page, faults } = await watched(browser, { javascript });
    await searched(page);
    // Filter further: the fields that fewer people need are behind a summary.
    await page.click("form.search .filters details summary");
    await page.select("#has_reply", "true");
    await page.select("#rating", "");
    await page.$eval("#query", (one) => (one.value = ""));
    await after(page, () => page.click("form.search button[type=submit]"));
    const found = await json("/api/reviews/search?has_reply=true");
    assert.equal(await page.$eval("h1", (one) => one.textContent), `${found.matched} reviews`);
    assert.match(await page.$eval(".lead", (one) => one.textContent), /^Filtered, of 256 reviews: +with an answer/);
    // Page on, then open one.
    await after(page, () => page.click("a[rel=next]"));
    const next = await json(`/api/reviews/search?has_reply=true&cursor=${found.next_cursor}`);
    const first = `/reviews/${next.reviews[0].id}`;
    await after(page, () => page.click(`.reviews .head a[href='${first}']`));
    assert.equal(new URL(page.url()).pathname, first);
    const shown = await texts(page, "article .text");
    assert.equal(shown[0].replace(/\s+/g, " "), next.reviews[0].text.trim().replace(/\s+/g, " "));
    assert.equal(shown.at(-1).replace(/\s+/g, " "), next.reviews[0].owner_reply.text.trim().replace(/\s+/g, " "));
    assert.deepEqual(faults, []);
    await page.close();
  });

  test(`from a figure to the reviews behind it${how}`, async () => {
    const { page, faults } = await watched(browser, { javascript });
    await page.goto(`${SAMPLE}/`);
    // Of the topics below the first three, after the fold is opened.
    if (!(await page.$eval(".aspects a[href='/search?aspect=price']", (one) => one.checkVisibility()))) await page.click(".more-topics summary");
    await after(page, () => page.click(".aspects a[href='/search?aspect=price']"));
    const found = await json("/api/reviews/search?aspect=price");
    assert.deepEqual(await links(page, ".reviews .head a[href^='/reviews/']"), found.reviews.map((review) => `/reviews/${review.id}`));
    await page.goto(`${SAMPLE}/insights`);
    // Content that is laid out late would move the link under the pointer.
    await page.$$eval(".aspect", (all) => all.forEach((one) => (one.style.contentVisibility = "visible")));
    await after(page, () => page.click(".people a[href^='/search?mentions_technician=']"));
    assert.ok((await links(page, ".reviews .head a[href^='/reviews/']")).length > 0);
    assert.deepEqual(faults, []);
    await page.close();
  });
}

test("a button copies a snippet, and does not exist without JavaScript", async () => {
  await browser.defaultBrowserContext().overridePermissions(SAMPLE, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  const { page, faults } = await watched(browser);
  await page.goto(`${SAMPLE}/developers`);
  for (const id of ["snippet-embed", "snippet-badge", "snippet-mcp"]) {
    await page.bringToFront();
    await page.click(`button[data-copy=${id}]`);
    await page.waitForFunction((id) => document.querySelector(`[data-copy=${id}]`).nextElementSibling.textContent === "Copied.", {}, id);
    const snippet = await page.$eval(`#${id}`, (one) => one.textContent);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), snippet);
    assert.ok(snippet.includes(SAMPLE), snippet);
  }
  assert.deepEqual(faults, []);
  await page.close();
  const still = await watched(browser, { javascript: false });
  await still.page.goto(`${SAMPLE}/developers`);
  const hidden = await still.page.$$eval("button[data-copy]", (all) => all.every((one) => one.hidden));
  assert.ok(hidden, "a button that does nothing is shown");
  await still.page.close();
});

test("the keyboard reaches everything in order, with a visible focus", async () => {
  const { page, faults } = await watched(browser);
  for (const path of ["/", "/search?rating=1&has_reply=true", "/insights"]) {
    await page.goto(SAMPLE + path);
    // Focusable elements outside closed <details>.
    const wanted = await page.$$eval("a[href], button, input, select, summary", (all) =>
      all.filter((one) => one.checkVisibility() && !one.disabled).length,
    );
    const seen = [];
    for (let presses = 0; presses < wanted; presses += 1) {
      await page.keyboard.press("Tab");
      // Each part of a date field takes the focus.
      while (await page.evaluate((last) => document.activeElement === last, seen.at(-1) ?? null)) await page.keyboard.press("Tab");
      const focused = await page.evaluateHandle(() => document.activeElement);
      const { outline, name } = await focused.evaluate((one) => ({
        outline: getComputedStyle(one).outlineStyle,
        name: `${one.localName} ${one.id || one.textContent}`,
      }));
      assert.notEqual(outline, "none", `${path}: the focus on ${name} is not seen`);
      seen.push(focused);
    }
    const distinct = await page.evaluate((...all) => new Set(all).size, ...seen);
    assert.equal(distinct, wanted, `${path}: the focus goes astray`);
  }
  // The first link skips the navigation; then searches only by keyboard.
  await page.goto(`${SAMPLE}/`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  // The browser follows a link within the page after the key press is answered.
  await page.waitForFunction(() => location.hash === "#main");
  await page.focus("#query");
  await page.keyboard.type("leak");
  await after(page, () => page.keyboard.press("Enter"));
  assert.match(page.url(), /\/search\?query=leak/);
  assert.deepEqual(faults, []);
  await page.close();
});
