// Runs Lighthouse on every kind of page; prints scores below their goals with the audits that lowered them.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const GOALS = { performance: 99, accessibility: 100, "best-practices": 100, seo: 100 };
const CATEGORIES = Object.keys(GOALS);
const base = process.env.SAMPLE_URL;
const { reviews } = await (await fetch(`${base}/reviews.json`)).json();
const all = ["/", "/insights", `/reviews/${reviews[0].id}`, "/developers"];
// Pages with `noindex` get no SEO rating.
const hidden = ["/search?aspect=price", "/search?rating=1", "/search?query=no+such+words", "/embed", "/embed?layout=grid&theme=dark", "/embed/try"];
const paths = process.argv.length > 2 ? process.argv.slice(2) : [...all, ...hidden];

// A page below its goal is rated again, and its best score counts: other work on the machine can only lower scores.
const TRIES = 3;

async function rate(path, wanted, file) {
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
  return { report, scores: wanted.map((id) => Math.round(report.categories[id].score * 100)) };
}

// The audits that lowered a category; for performance also the timings, and the speed of the machine.
function explain(report, id) {
  const weighty = report.categories[id].auditRefs.filter((ref) => ref.weight > 0).map((ref) => report.audits[ref.id]);
  for (const audit of weighty.filter((audit) => audit.score !== null && audit.score < 1)) {
    console.log(`  ${id}: ${audit.title} ${audit.displayValue ?? ""}`);
    for (const item of audit.details?.items?.slice(0, 3) ?? []) console.log(`    ${item.node?.snippet ?? ""} ${item.node?.explanation ?? ""}`);
  }
  if (id !== "performance") return;
  const work = report.audits["mainthread-work-breakdown"].details.items.map((item) => `${item.groupLabel} ${Math.round(item.duration)} ms`);
  console.log(`  main thread: ${work.join(", ")}; benchmark index ${report.environment.benchmarkIndex} (a free desktop: 1,500 and more)`);
}

let failed = 0;
const folder = mkdtempSync(join(tmpdir(), "lighthouse-"));
for (const path of paths) {
  const wanted = CATEGORIES.filter((category) => category !== "seo" || !hidden.includes(path));
  let best;
  for (let tried = 0; tried < TRIES && !best?.scores.every((score, at) => score >= GOALS[wanted[at]]); tried += 1) {
    const rated = await rate(path, wanted, join(folder, "report.json"));
    console.log(`${path}: ${wanted.map((id, at) => `${id} ${rated.scores[at]}`).join(", ")}`);
    if (!best || Math.min(...rated.scores) > Math.min(...best.scores)) best = rated;
  }
  for (const [at, id] of wanted.entries()) {
    if (best.scores[at] >= GOALS[id]) continue;
    failed += 1;
    explain(best.report, id);
  }
}
rmSync(folder, { recursive: true });
if (failed > 0) {
  console.error(`${failed} below their goals`);
  process.exit(1);
}
