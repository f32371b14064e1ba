// Lighthouse on every kind of page; what is below 95 is named with the audits that cost it.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const BEST = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const base = process.env.SAMPLE_URL;
const { reviews } = await (await fetch(`${base}/reviews.json`)).json();
const all = ["/", "/insights", "/insights?aspect=price", "/insights?technician=Mike+Alvarez", `/reviews/${reviews[0].id}`];
// What search engines are asked to leave out is not rated for them.
const hidden = ["/search?rating=1", "/embed"];
const paths = process.argv.length > 2 ? process.argv.slice(2) : [...all, ...hidden];

let failed = 0;
const folder = mkdtempSync(join(tmpdir(), "lighthouse-"));
for (const path of paths) {
  const wanted = CATEGORIES.filter((category) => category !== "seo" || !hidden.includes(path));
  const file = join(folder, "report.json");
  await promisify(execFile)(
    process.execPath,
    [
      join(process.env.TOOLS, "node_modules/lighthouse/cli/index.js"),
      base + path,
      "--quiet",
      "--output=json",
      `--output-path=${file}`,
      `--only-categories=${wanted.join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ],
    { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM }, maxBuffer: 64 << 20 },
  );
  const report = JSON.parse(readFileSync(file, "utf8"));
  const rated = wanted.map((id) => [id, Math.round(report.categories[id].score * 100), report.categories[id].auditRefs]);
  console.log(`${path}: ${rated.map(([id, score]) => `${id} ${score}`).join(", ")}`);
  for (const [id, score, refs] of rated) {
    if (score >= BEST) continue;
    failed += 1;
    const costly = refs.map((ref) => [ref, report.audits[ref.id]]).filter(([ref, audit]) => ref.weight > 0 && audit.score !== null && audit.score < 0.9);
    for (const [, audit] of costly) console.log(`  ${id}: ${audit.title} ${audit.displayValue ?? ""}`);
  }
}
rmSync(folder, { recursive: true });
if (failed > 0) {
  console.error(`${failed} below ${BEST}`);
  process.exit(1);
}
