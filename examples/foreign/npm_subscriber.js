// pubsubhubbub 1.0.2 (npm) as a subscriber: node npm_subscriber.js PLAIN_PORT TLS_PORT TOPIC HUB
// Subscribes, prints every event, and unsubscribes after the first content. It uses no secret: this version sends the hub
// a different secret (an HMAC of it) from the one that it verifies with, so that it drops signed deliveries.
const [plain, tls, topic, hub] = process.argv.slice(2);
const subscriber = require("pubsubhubbub").createServer({ callbackUrl: `https://127.0.0.1:${tls}/cb` });

subscriber.on("subscribe", (data) => console.log(`verified until ${new Date(data.lease * 1000).toISOString()}; now change a review`));
subscriber.on("feed", (data) => {
  console.log(`content: ${data.feed.length} bytes, ${data.headers["content-type"]}, signature ${data.headers["x-hub-signature"] ?? "none"}`);
  subscriber.unsubscribe(topic, hub, (error) => error && console.log("unsubscribe:", error.message));
});
subscriber.on("denied", (data) => console.log("denied", data));
subscriber.on("error", (error) => console.log("error", error.message));
subscriber.on("unsubscribe", () => {
  console.log("unsubscribed");
  // After the response has been sent.
  setTimeout(() => process.exit(0), 500);
});
subscriber.on("listen", () => subscriber.subscribe(topic, hub, (error) => error && console.log("subscribe:", error.message)));
subscriber.listen(Number(plain), "127.0.0.1");
setTimeout(() => process.exit(1), 30_000);
