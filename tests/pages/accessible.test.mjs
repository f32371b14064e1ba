// axe-core finds no fault on any page, in both colour schemes, narrow and wide; no page is wider than the window.
import assert from "node:assert/strict";
import { after as atEnd, test } from "node:test";

import { AXE, SAMPLE, SCHEMES, launch, pages, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

for (const path of await pages()) {
  test(`${path} has no finding`, async () => {
    for (const scheme of SCHEMES) {
      for (const width of [360, 1280]) {
        const { page, faults } = await watched(browser, { width, scheme });
        await page.goto(SAMPLE + path);
        // Checks folded content too.
        await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
        const found = violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
        assert.deepEqual(found, [], `${scheme}, ${width}`);
        assert.deepEqual(faults, []);
        await page.close();
      }
    }
  });

  test(`${path} needs no scrolling sideways`, async () => {
    const { page } = await watched(browser, { width: 320 });
    await page.goto(SAMPLE + path);
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
    for (const width of [320, 360, 768]) {
      await page.setViewport({ width, height: 900 });
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= window, `${wide} pixels in a window of ${window}`);
    }
    await page.close();
  });
}

// Known faults of Swagger UI's markup: nested buttons, lists labelled only by nearby text, h3 directly below h1, and content outside
// its main landmark.
const SWAGGER_UI = Object.fromEntries(["nested-interactive", "select-name", "heading-order", "region"].map((rule) => [rule, { enabled: false }]));

test("/docs has no finding but those of Swagger UI's markup, and needs no scrolling sideways", async () => {
  for (const scheme of SCHEMES) {
    for (const width of [320, 360, 1280]) {
      const { page, faults } = await watched(browser, { width, scheme });
      await page.goto(`${SAMPLE}/docs`);
      await page.waitForSelector(".opblock-summary-control");
      await page.evaluate(AXE);
      const { violations } = await page.evaluate((rules) => axe.run({ resultTypes: ["violations"], rules }), SWAGGER_UI);
      const found = violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
      assert.deepEqual(found, [], `${scheme}, ${width}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels in a window of ${width}`);
      assert.deepEqual(faults, []);
      await page.close();
    }
  }
});

test("a printed page has the reviews and no form", async () => {
  const { page, faults } = await watched(browser, { scheme: "dark" });
  await page.goto(`${SAMPLE}/`);
  await page.emulateMediaType("print");
  const seen = (selector) => page.$eval(selector, (one) => one.checkVisibility());
  assert.deepEqual(await Promise.all(["form.find", ".site nav", ".chips"].map(seen)), [false, false, false]);
  assert.deepEqual(await Promise.all(["h1", ".score", ".aspects", ".reviews .text"].map(seen)), [true, true, true, true]);
  const paper = await page.evaluate(() => getComputedStyle(document.body).color);
  assert.equal(paper, "rgb(27, 33, 36)", "dark letters on paper, whatever the screen's scheme");
  assert.ok((await page.pdf()).length > 10_000);
  assert.deepEqual(faults, []);
  await page.close();
});
