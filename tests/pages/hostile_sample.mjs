// Writes a sample in which every text is a payload: `node hostile_sample.mjs FOLDER`. A payload that runs sets `ran`.
import { mkdirSync, writeFileSync } from "node:fs";

const payloads = [
  "<script>ran=1</script>",
  "</script><script>ran=1</script>",
  '"><img src=x onerror=ran=1>',
  "' onmouseover='ran=1",
  '" autofocus onfocus=ran=1 x="',
  "<svg/onload=ran=1>",
  "<svg><animate onbegin=ran=1 attributeName=x dur=1s>",
  "javascript:ran=1//",
  "data:text/html,<script>opener.ran=1</script>",
  "]]><script>ran=1</script>",
  "--><script>ran=1</script><!--",
  "</title></textarea></style></noscript><iframe srcdoc='<script>parent.ran=1</script>'>",
  '<a href="jAvAsCrIpT&colon;ran=1">x</a>',
  "{{constructor.constructor('ran=1')()}}${ran=1}<%= ran=1 %>",
  "<!--<script>&lt;\u2028\u202e",
  "\\u003cscript\\u003eran=1\\u003c/script\\u003e",
  "<math><mtext><table><mglyph><style><img src=x onerror=ran=1>",
  "<style>@import'//example.com/x'</style><link rel=stylesheet href=//example.com/x>",
  "<base href=//example.com/><meta http-equiv=refresh content=0;url=//example.com/>",
  "<form action=//example.com/><button>Search</button></form>",
];
const all = payloads.join(" ");
const folder = process.argv[2];
const review = (text, at) => ({
  id: `r-${at}`,
  rating: (at % 5) + 1,
  date: "2026-11-01",
  author: text,
  title: text,
  text: `${text} The price was fair and he was on time. ${text}`,
  source: text,
  verified: false,
  verification: "manual",
  mentions: { technicians: [all.slice(0, 80)], services: [], service_areas: [text] },
  owner_reply: { text, author: text },
});
const reviews = [...payloads, ...payloads].map(review);
reviews.push({ ...review("plain", reviews.length), status: "withheld", withheld_reason: all });
const business = {
  id: "hostile",
  name: all.slice(0, 120),
  type: "LocalBusiness",
  time_zone: "UTC",
  description: all,
  telephone: payloads[2],
  address: { locality: all },
  same_as: [],
  services: [{ id: payloads[0], name: payloads[1] }],
  technicians: [{ id: "t-1", name: all.slice(0, 80) }],
  service_areas: payloads.slice(0, 5),
};
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/business.json`, JSON.stringify(business));
writeFileSync(`${folder}/reviews.jsonl`, reviews.map((one) => `${JSON.stringify(one)}\n`).join(""));
writeFileSync(
  `${folder}/editorial.json`,
  JSON.stringify({ summary: { text: all }, faq: payloads.slice(0, 3).map((text, at) => ({ id: `q-${at}`, question: text, answer: text })) }),
);
writeFileSync(`${folder}/payloads.json`, JSON.stringify(payloads));
