// Gives frames of /embed the height of their content. The page around the frame and the page in it load this same file, as a script, a
// module, or a part of a bundle: the one in the frame says how high it is, the other sets the frame's height. Without it the frame
// keeps the height that it was given.
(() => {
  const says = (data, kind) => data && data.kind === kind;
  if (parent !== window && document.body?.classList.contains("embed")) {
    const tell = () => {
      const height = Math.ceil(document.body.getBoundingClientRect().height);
      parent.postMessage({ kind: "reviews-height", height }, "*");
    };
    // A browser does not run the observer of a frame that is out of sight.
    tell();
    new ResizeObserver(tell).observe(document.body);
    addEventListener("message", (event) => event.source === parent && says(event.data, "reviews-ask") && tell());
    return;
  }
  // Those of the page, and of open shadow roots in it.
  const frames = (root) =>
    Array.from(root.querySelectorAll("*")).flatMap((one) => (one.shadowRoot ? frames(one.shadowRoot) : one.localName === "iframe" ? [one] : []));
  const isEmbed = (frame) => frame.src && new URL(frame.src).pathname.endsWith("/embed");
  addEventListener("message", (event) => {
    if (!says(event.data, "reviews-height")) return;
    const height = Number(event.data.height);
    const frame = frames(document).find((one) => one.contentWindow === event.source);
    const isOurs = frame && isEmbed(frame) && new URL(frame.src).origin === event.origin;
    if (isOurs && height > 0 && height < 20000) frame.style.height = `${height}px`;
  });
  // A frame that was there first has spoken already; one that is not loaded yet hears nothing.
  for (const frame of frames(document).filter(isEmbed)) frame.contentWindow?.postMessage({ kind: "reviews-ask" }, "*");
})();
