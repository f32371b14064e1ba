// Swagger UI in a real browser: opens every operation, tries it with the prefilled values, and reads the answer.
// Arguments: the base URL, the browser.
import puppeteer from "puppeteer-core";

const [base, browserPath] = process.argv.slice(2);
const described = await (await fetch(`${base}/.well-known/openapi.json`)).json();
const operations = Object.entries(described.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

const browser = await puppeteer.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
const failures = [];
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  const elsewhere = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) elsewhere.push(url);
  });
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) failures.push(message.text());
  });
  await page.goto(`${base}/docs/`);
  if (page.url() !== `${base}/docs`) failures.push(`/docs/ leads to ${page.url()}`);
  for (const { operationId, tags, path, method } of operations) {
    const block = `#operations-${tags[0]}-${operationId}`;
    const press = async (selector) => (await page.waitForSelector(`${block} ${selector}`)).click();
    await press(".opblock-summary-control");
    await press(".try-out__btn");
    await press(".execute");
    // The table of the live answer appears with the answer.
    const status = await page.waitForSelector(`${block} .live-responses-table tbody .response-col_status`).then(
      (cell) => cell.evaluate((element) => element.textContent.trim()),
      () => "no answer: a required field is empty, or the request was refused",
    );
    const line = `${method.toUpperCase()} ${path} (${operationId}): ${status}`;
    const isError = await page.$eval(`${block} .live-responses-table`, (table) => /"error": ?\{/.test(table.textContent)).catch(() => false);
    console.log(line);
    if (!/^2\d\d/.test(status) || isError) failures.push(line);
    await press(".opblock-summary-control");
  }
  if (elsewhere.length > 0) failures.push(`the page asked ${elsewhere.join(", ")}`);
} finally {
  await browser.close();
}
if (operations.length === 0) failures.push("nothing is described");
if (failures.length > 0) {
  console.error(`failed:\n${failures.join("\n")}`);
  process.exit(1);
}
console.log(`${operations.length} operations were tried out as they were prefilled`);
