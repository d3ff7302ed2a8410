// What htmx leaves to us: files that are dropped or chosen, sliders and the number beside them, lines to copy, a server that is gone.
"use strict";

const body = document.body;
function lostNow(words) {
  const line = document.getElementById("wb-status");
  line.textContent = words;
  line.classList.toggle("lost", Boolean(words));
}

async function bring(zone, file) {
  if (file.size > Number(body.dataset.most)) {
    // the server says why: it sees the size, not the file
    return put(zone, await send(zone, new Blob([]), file.name, file.size));
  }
  document.getElementById("wb-busy")?.classList.add("htmx-request");
  try {
    put(zone, await send(zone, file, file.name, file.size));
  } finally {
    document.getElementById("wb-busy")?.classList.remove("htmx-request");
  }
}

async function send(zone, content, name, size) {
  const threshold = zone.parentElement.querySelector("[name=threshold]")?.value ?? "";
  const answer = await fetch(`bring/${zone.dataset.post}`, {
    method: "POST", body: content,
    headers: { "x-name": encodeURIComponent(name), "x-size": String(size), "x-threshold": encodeURIComponent(threshold) },
  });
  return answer.text();
}

const put = (zone, html) => htmx.swap(zone, html, { swapStyle: "none" });

body.addEventListener("change", (event) => {
  const zone = event.target.closest?.(".drop");
  if (zone && event.target.files?.length) bring(zone, event.target.files[0]);
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  body.addEventListener(kind, (event) => {
    event.preventDefault();
    const zone = event.target.closest?.(".drop") || document.querySelector(".drop");
    document.querySelectorAll(".drop").forEach((one) => one.classList.toggle("over", one === zone && kind.startsWith("drag") && kind !== "dragleave"));
    if (kind === "drop" && zone && event.dataTransfer.files.length) bring(zone, event.dataTransfer.files[0]);
  });
}

// a slider writes its number, in the language of the page; a number moves its slider
const comma = document.documentElement.lang === "fr";
body.addEventListener("input", (event) => {
  const at = event.target;
  if (at.type === "range" && at.dataset.for) {
    const box = document.getElementById(at.dataset.for);
    const decimals = (String(at.step).split(".")[1] || "").length;
    const text = Number(at.value).toFixed(decimals);
    box.value = comma ? text.replace(".", ",") : text;
  } else if (at.id?.startsWith("wb-x-")) {
    const slider = document.querySelector(`input[data-for="${at.id}"]`);
    if (slider) slider.value = at.value.replace(",", ".");
  }
}, true);

body.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button.copy");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(document.getElementById(button.dataset.copy));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  const before = button.textContent;
  button.textContent = body.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1500);
});

// an answer to a form that an earlier answer has replaced would look for its places within what is gone: it looks on the page
const followed = new WeakSet();
body.addEventListener("htmx:beforeRequest", ({ detail: { elt, target } }) => {
  if (target !== elt || followed.has(elt)) return;
  followed.add(elt);
  elt.addEventListener("htmx:beforeSwap", (event) => {
    if (elt.isConnected || !event.detail.shouldSwap) return;
    event.detail.shouldSwap = false;
    htmx.swap(body, event.detail.serverResponse, { swapStyle: "none" });
  });
});

// what is asked for last is what one wants to see
let wanted = null;
body.addEventListener("htmx:oobAfterSwap", (event) => {
  const part = event.target; // the new one: the event's detail has the one that is gone
  if (["wb-answer", "wb-explored"].includes(part.id) && !part.hidden && !part.contains(document.activeElement)) part.scrollIntoView();
  // a predictor and rows were given together: the predictions are what was asked for
  if (part.id === "wb-what-if") wanted = part.querySelector("#wb-predictions[data-given]")?.closest("details") ?? null;
  wanted?.scrollIntoView();
});
body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "wb-said" || !wanted) return;
  wanted.scrollIntoView(); // the first words of the form have moved it
  wanted = null;
});
let lost = 0;
body.addEventListener("htmx:sseError", () => { lost += 1; if (lost > 2) lostNow(body.dataset.lost); });
body.addEventListener("htmx:sseOpen", () => { if (lost) { lost = 0; lostNow(""); } });
body.addEventListener("htmx:sendError", () => lostNow(body.dataset.lost));
body.addEventListener("click", (event) => {
  const chip = event.target.closest?.(".chip");
  if (chip) document.querySelectorAll(".chip").forEach((one) => one.setAttribute("aria-pressed", String(one === chip)));
});
