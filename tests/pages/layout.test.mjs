// Reviews are near the top, texts of every language and length keep the layout, and touch targets are large enough.
import assert from "node:assert/strict";
import { after as atEnd, test } from "node:test";

import { AXE, SAMPLE, SCHEMES, WORLD, launch, pages, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const [name, home] of [["an English", SAMPLE], ["a German", WORLD]]) {
  test(`the newest reviews of ${name} firm begin near the top`, async () => {
    for (const [width, most] of [[1280, 900], [360, 1400]]) {
      const { page, faults } = await watched(browser, { width });
      await page.goto(`${home}/`);
      const top = await page.$eval(".reviews .review", (one) => one.getBoundingClientRect().top + scrollY);
      assert.ok(top < most, `${width}: at ${top}`);
      const topics = await page.$$eval(".aspects li", (all) => all.filter((one) => one.checkVisibility()).length);
      assert.equal(topics, 3, "the others are folded");
      assert.deepEqual(faults, []);
      await page.close();
    }
  });
}

test("a mean is drawn in parts of stars", async () => {
  const { page } = await watched(browser);
  await page.goto(`${SAMPLE}/`);
  const [label, on, off] = await page.$eval(".score svg.stars", (one) => [
    one.getAttribute("aria-label"),
    one.querySelector("stop.on").getAttribute("offset"),
    getComputedStyle(one.querySelector("stop.off")).stopOpacity,
  ]);
  assert.deepEqual([label, on, off], ["4.55 of 5 stars", "91.7%", "0.25"]);
  await page.close();
});

// Links inside a sentence may have its line height (WCAG 2.5.8).
const SMALL = () =>
  [...document.querySelectorAll("a[href], button, input, select, summary")]
    .filter((one) => one.checkVisibility() && one.className !== "skip")
    .filter((one) => one.getBoundingClientRect().height < 24)
    .map((one) => `${one.localName} "${one.textContent.trim().slice(0, 30)}" is ${one.getBoundingClientRect().height} pixels high`);

for (const path of await pages()) {
  test(`${path}: what is touched is 24 pixels high, and nothing scrolls sideways at twice the size`, async () => {
    for (const width of [360, 1280]) {
      const { page } = await watched(browser, { width });
      await page.goto(SAMPLE + path);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      // Other tests measure the search pages.
      if (!path.startsWith("/search")) assert.deepEqual(await page.evaluate(SMALL), [], `${width}`);
      // 200% of 1280 and of 720 pixels.
      for (const zoomed of [640, 360]) {
        await page.setViewport({ width: zoomed, height: 450, deviceScaleFactor: 2 });
        assert.ok((await sideways(page)) <= 0, `${zoomed}`);
      }
      await page.close();
    }
  });
}

test("texts of any direction and length keep the layout, in German and at every width", async () => {
  const paths = ["/", "/insights", "/search", "/search?query=pünktlich", "/developers", "/embed", "/embed?layout=grid",
    "/embed?layout=grid", "/embed/try", "/mcp", "/nothing", ...[1, 2, 3, 4].map((at) => `/reviews/w-${at}`)];
  for (const path of paths) {
    for (const width of [320, 360, 768, 1280]) {
      const { page, faults } = await watched(browser, { width });
      await page.goto(WORLD + path);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      assert.equal(await page.$eval("html", (one) => one.lang), "de");
      assert.ok((await sideways(page)) <= 0, `${path} at ${width}`);
      // Names of firms, platforms, services and places, with 82 letters and no space.
      const named = "h1, .site .name, .error a, .small a, .write .button, .sources th a, .review .author, .review .head a, .tags a, .chips a";
      await page.$$eval(named, (all) => all.forEach((one) => (one.textContent = `${"Klima".repeat(16)}AG`)));
      assert.ok((await sideways(page)) <= 0, `${path} at ${width}`);
      assert.deepEqual(faults, []);
      await page.close();
    }
  }
  const { page } = await watched(browser);
  await page.goto(`${WORLD}/reviews/w-1`);
  const direction = (selector) => page.$eval(selector, (one) => [getComputedStyle(one).direction, one.lang || one.closest("[lang]").lang]);
  assert.deepEqual(await direction("article .text"), ["rtl", "ar"]);
  assert.deepEqual(await direction("html"), ["ltr", "de"]);
  await page.close();
});

// The shown choices, on a desktop all, and the placeholders that do not fit into their fields. 20 pixels are for the arrow.
const CUT = () => {
  const pen = document.createElement("canvas").getContext("2d");
  const width = (field, text) => {
    pen.font = getComputedStyle(field).font;
    return pen.measureText(text).width;
  };
  const room = (field) => {
    const { paddingLeft, paddingRight } = getComputedStyle(field);
    return field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - (field.localName === "select" ? 20 : 0);
  };
  return [...document.querySelectorAll("select, input[placeholder]")]
    .filter((field) => field.checkVisibility())
    .flatMap((field) => {
      const choices = innerWidth < 1100 ? field.selectedOptions : field.options;
      return [...(choices ?? [{ text: field.placeholder }])].map((one) => [field, one.text]);
    })
    .filter(([field, text]) => width(field, text) > room(field))
    .map(([field, text]) => `${field.name}: ${text}`);
};

test("no choice and no placeholder is cut on a phone and on a desktop", async () => {
  for (const path of ["/", "/search", "/search?query=price&rating=5", "/embed/try"]) {
    for (const width of [360, 1280]) {
      const { page } = await watched(browser, { width });
      await page.goto(SAMPLE + path);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      assert.deepEqual(await page.evaluate(CUT), [], `${path} at ${width}`);
      await page.goto(WORLD + path);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      assert.deepEqual(await page.evaluate(CUT), [], `${path} in German at ${width}`);
      await page.close();
    }
  }
});

test("the badge is readable on a phone, with the line of every page that shows it", async () => {
  for (const path of ["/developers", "/embed/try"]) {
    const { page } = await watched(browser, { width: 320 });
    await page.goto(SAMPLE + path);
    const lines = await page.$$eval("pre", (all) => all.map((one) => one.textContent).filter((one) => one.includes("badge.svg")));
    assert.ok(lines.length > 0);
    for (const line of lines) {
      await page.setContent(`<meta name="viewport" content="width=device-width"><body>${line}`, { waitUntil: "load" });
      const [shown, natural, sideways] = await page.$eval("img", (one) => [one.clientWidth, one.naturalWidth, document.documentElement.scrollWidth - innerWidth]);
      // Its letters have 14 pixels at its own size.
      assert.ok((14 * shown) / natural >= 11 && sideways <= 0, `${line}: ${shown} of ${natural}`);
      await page.goto(SAMPLE + path);
    }
    await page.close();
  }
});

test("a long text is folded and unfolds without JavaScript", async () => {
  const { page } = await watched(browser, { javascript: false });
  await page.goto(`${WORLD}/`);
  const long = await page.waitForSelector("li.review:has(a[href='/reviews/w-4'])");
  const before = (await long.boundingBox()).height;
  await (await long.$("details.more summary")).click();
  assert.ok((await long.boundingBox()).height > before + 200);
  await page.close();
});

test("axe-core finds no fault on the German pages", async () => {
  for (const path of ["/", "/insights", "/developers", "/reviews/w-1", "/embed"]) {
    for (const scheme of SCHEMES) {
      const { page } = await watched(browser, { scheme, width: 360 });
      await page.goto(WORLD + path);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], `${path} ${scheme}`);
      await page.close();
    }
  }
});
