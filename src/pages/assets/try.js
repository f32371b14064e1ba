// Shows the options of /embed/try at once when one is changed. Without this script the button does.
const form = document.querySelector("form.options");
form.addEventListener("change", async () => {
  const target = `${form.action}?${new URLSearchParams(new FormData(form))}`;
  const answer = await fetch(target, { headers: { Accept: "text/html" } });
  const shown = new DOMParser().parseFromString(await answer.text(), "text/html");
  history.replaceState(null, "", target);
  for (const part of document.querySelectorAll("[data-option]")) {
    const now = shown.getElementById(part.id);
    if (part.tagName !== "IFRAME") part.replaceChildren(...now.childNodes);
    else if (part.src !== now.src) part.src = now.src;
  }
});
