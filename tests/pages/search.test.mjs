// The search on a phone and on a desktop: its form, filters, marks, and paging forward and back.
import assert from "node:assert/strict";
import { after as atEnd, test } from "node:test";

import { SAMPLE, after, launch, links, texts, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

const FOUND = "/search?query=water+heaters&min_rating=4";

test("on a phone the form is one line before the results, and its filters are folded", async () => {
  for (const javascript of [true, false]) {
    const { page, faults } = await watched(browser, { width: 360, javascript });
    await page.goto(SAMPLE + FOUND);
    const box = (selector) => page.$eval(selector, (one) => one.getBoundingClientRect().toJSON());
    const [form, results] = [await box("form.search"), await box(".reviews")];
    assert.ok(form.height <= 48, `the form is ${form.height} pixels high`);
    assert.ok(form.bottom <= results.top, "the results stand before the form");
    assert.ok(results.top < 500, `the results begin at ${results.top}`);
    const isSeen = () => page.$eval("#mentions_service", (one) => one.checkVisibility({ contentVisibilityAuto: true }));
    assert.equal(await isSeen(), false);
    await page.click(".filters > summary");
    assert.equal(await isSeen(), true);
    await page.select("#source", "Google");
    await after(page, () => page.click(".filters button[type=submit]"));
    const chips = await texts(page, ".lead .chips a");
    assert.deepEqual(chips.map((chip) => chip.split(" ×")[0]), ["with “water heaters”", "4 stars or more", "from Google", "Remove all filters"]);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test("on a desktop the filters are open beside the results, with their counts", async () => {
  const { page, faults } = await watched(browser);
  await page.goto(SAMPLE + FOUND);
  const [field, results] = await page.$$eval("#mentions_service, .reviews", (all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  assert.ok(field.height >= 24 && field.right < results.left, JSON.stringify(field));
  assert.match(await page.$eval("#source", (one) => one.options[1].textContent), / \(\d+\)$/);
  assert.match(await page.$eval(".filters .meta", (one) => one.textContent), /^Counts are of all 256 reviews\.$/);
  assert.deepEqual(faults, []);
  await page.close();
});

test("matches are marked, and a filter is removed by its chip", async () => {
  const { page, faults } = await watched(browser);
  await page.goto(SAMPLE + FOUND);
  for (const review of await page.$$(".reviews > .review")) {
    const marked = await review.$$eval("mark", (all) => all.map((one) => one.textContent.toLowerCase()));
    assert.ok(marked.some((word) => word.includes("water")) && marked.some((word) => word.includes("heater")), marked.join(", "));
  }
  await after(page, () => page.click(".lead .chips a"));
  assert.equal(new URL(page.url()).search, "?min_rating=4");
  assert.equal(await page.$("mark"), null);
  assert.deepEqual(faults, []);
  await page.close();
});

test("the next page shows other reviews, and the browser leads back", async () => {
  const { page, faults } = await watched(browser, { javascript: false });
  await page.goto(`${SAMPLE}/search?sort=lowest`);
  const shown = () => links(page, ".reviews .head a[href^='/reviews/']");
  const first = await shown();
  await after(page, () => page.click("a[rel=next]"));
  const second = await shown();
  assert.ok(second.length > 0 && second.every((href) => !first.includes(href)));
  await page.goBack();
  assert.deepEqual(await shown(), first);
  assert.deepEqual(faults, []);
  await page.close();
});

test("touch targets of a search have at least 24 pixels each way", async () => {
  for (const path of [FOUND, "/search?query=leaks+repair+zeppelin&rating=5", "/search?rating=9"]) {
    const { page } = await watched(browser, { width: 360 });
    await page.goto(SAMPLE + path);
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
    const small = await page.$$eval("main :is(a, button, input:not([type=hidden]), select, summary)", (all) =>
      all
        .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 80)])
        .filter(([box]) => box.width < 24 || box.height < 24)
        .map(([box, html]) => `${box.width} x ${box.height}: ${html}`),
    );
    assert.deepEqual(small, [], path);
    await page.close();
  }
});
