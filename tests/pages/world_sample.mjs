// Writes the sample as a German firm whose newest reviews are hard to lay out: `node world_sample.mjs SEEDS FOLDER`.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

const [seeds, folder] = process.argv.slice(2);
const business = {
  ...JSON.parse(readFileSync(`${seeds}/business.json`, "utf8")),
  language: "de",
  country: "DE",
  review_links: [
    { name: "Google", url: "https://g.example/review" },
    { name: "Trustpilot", url: "https://t.example/review" },
  ],
};
const review = (id, language, author, text, reply) => ({
  id,
  rating: 4,
  date: "2026-11-20",
  author,
  text,
  language,
  source: "Google",
  verified: true,
  verification: "source_platform",
  mentions: { technicians: [], services: [], service_areas: [] },
  ...(reply ? { owner_reply: { text: reply } } : {}),
});
const hard = [
  review("w-1", "ar", "ليلى حداد", "وصل الفني في الموعد وأصلح المكيف بسرعة. السعر كان 120 دولارا.", "شكرا لك"),
  review("w-2", "de", "K. ".repeat(33).trim(), "Donaudampfschifffahrt".repeat(29).slice(0, 600), "ß".repeat(600)),
  review("w-3", "ja", "佐藤", "とても丁寧に説明してくれました。".repeat(20)),
  review("w-4", "de", "L. Lang", "Alles war gut und pünktlich. ".repeat(60)),
];
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/business.json`, JSON.stringify(business));
writeFileSync(`${folder}/reviews.jsonl`, hard.map((one) => `${JSON.stringify(one)}\n`).join("") + readFileSync(`${seeds}/reviews.jsonl`, "utf8"));
copyFileSync(`${seeds}/editorial.json`, `${folder}/editorial.json`);
