// The picture of the README: the first screen of `/` with the sample. `node screenshot.mjs FILE`.
import { launch, SAMPLE, watched } from "./browser.mjs";

const browser = await launch();
const { page, faults } = await watched(browser, { width: 1200 });
await page.setViewport({ width: 1200, height: 860 });
await page.goto(`${SAMPLE}/`);
await page.screenshot({ path: process.argv[2], optimizeForSpeed: false });
await browser.close();
if (faults.length > 0) throw new Error(faults.join("\n"));
