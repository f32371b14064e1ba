// A browser that records faults of pages: console messages, requests to other hosts, and dialogs.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.TOOLS}/`);
const puppeteer = require("puppeteer-core");
export const AXE = require("axe-core").source;
export const SAMPLE = process.env.SAMPLE_URL;
export const HOSTILE = process.env.HOSTILE_URL;
export const WORLD = process.env.WORLD_URL;

export const SCHEMES = ["light", "dark"];

export function launch() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

// A new page and its faults; `hosts` are the allowed ones.
export async function watched(browser, { width = 1280, scheme = "light", javascript = true, hosts = [] } = {}) {
  const page = await browser.newPage();
  const faults = [];
  const known = [SAMPLE, HOSTILE, WORLD, ...hosts].filter(Boolean);
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setJavaScriptEnabled(javascript);
  page.on("console", (message) => {
    // Browsers log error pages, which is right.
    const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
    if (!isStatus || message.location().url !== page.url()) faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    // Browsers load parts of their own form fields internally.
    if (url.startsWith("data:")) return;
    if (!known.some((host) => url.startsWith(`${host}/`))) faults.push(`request: ${url}`);
  });
  page.on("requestfailed", (request) => faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`));
  return { page, faults };
}

// Waits for the page after `act`.
export async function after(page, act) {
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), act()]);
  return answer;
}

export async function json(path) {
  const answer = await fetch(SAMPLE + path);
  assert.equal(answer.status, 200, path);
  return answer.json();
}

export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent.trim()));
export const links = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.getAttribute("href")));

// Every kind of page, with its states.
export async function pages() {
  const { reviews } = await json("/reviews.json");
  const titled = reviews.find((review) => review.title && review.owner_reply);
  const untitled = reviews.find((review) => !review.title);
  return [
    "/",
    "/search",
    "/search?rating=1&has_reply=true",
    "/search?query=nowhere+at+all&rating=5",
    "/search?query=water+heaters&min_rating=4&source=Google&sort=lowest",
    "/search?rating=9&since=yesterday",
    "/insights",
    "/transparency",
    "/developers",
    "/search?aspect=price&polarity=negative",
    `/reviews/${titled.id}`,
    `/reviews/${untitled.id}`,
    "/embed",
    "/embed?theme=dark&min_rating=5",
    "/embed?layout=grid",
    "/embed?layout=grid&accent=8a1c5c",
    "/embed/try",
    "/embed?theme=pink",
    "/nothing/here",
  ];
}
