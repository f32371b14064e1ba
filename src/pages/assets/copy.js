// Copies the snippet beside a button. Without this script the snippets can be selected by hand.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const status = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = button.dataset.copied;
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
      status.textContent = button.dataset.selected;
    }
  });
}
