// Every page opens in Chromium, on a phone and on a desktop: no error, no request to another host, no scrolling sideways.
import assert from "node:assert/strict";
import { after as atEnd, test } from "node:test";

import { SAMPLE, launch, pages, watched } from "./browser.mjs";

const browser = await launch();
atEnd(() => browser.close());

for (const width of [360, 1280]) {
  test(`every page opens at ${width} pixels`, async () => {
    const { page, faults } = await watched(browser, { width });
    for (const path of await pages()) {
      await page.goto(SAMPLE + path);
      assert.ok(await page.$("h1, h2, .reviews"), `${path} is empty`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${path} has ${wide} pixels in a window of ${width}`);
    }
    await page.goto(`${SAMPLE}/docs`);
    await page.waitForSelector("#operations-Reviews-searchReviews");
    assert.deepEqual(faults, []);
    await page.close();
  });
}
