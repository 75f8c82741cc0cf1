"use strict";
const list = document.getElementById("list");
const findings = list ? [...list.querySelectorAll(".finding")] : [];
const search = document.getElementById("search");
const unfold = document.getElementById("unfold");
const selects = [...document.querySelectorAll("#tools select")];
let texts = null;

function choicesOf(finding, name) {
  return ` ${finding.dataset[name]} `;
}

function fits(finding, index, wanted, choices) {
  return choices.every(([name, value]) => choicesOf(finding, name).includes(` ${value} `)) && (wanted === "" || texts[index].includes(wanted));
}

function show() {
  const wanted = search.value.trim().toLowerCase();
  const choices = selects.filter((select) => select.value !== "").map((select) => [select.id.slice(3), select.value]);
  if (wanted !== "" && texts === null) texts = findings.map((finding) => finding.textContent.toLowerCase());
  let shown = 0;
  findings.forEach((finding, index) => {
    const fit = fits(finding, index, wanted, choices);
    if (finding.hidden === fit) finding.hidden = !fit;
    shown += fit;
  });
  document.getElementById("none").hidden = shown > 0;
  document.getElementById("shown").textContent = `${shown} of ${findings.length} findings`;
}

function choose(chosen) {
  search.value = "";
  for (const select of selects) select.value = chosen[select.id.slice(3)] ?? "";
  show();
}

function openLinked() {
  const linked = document.getElementById(location.hash.slice(1));
  if (linked === null || !linked.classList.contains("finding")) return;
  if (linked.hidden) choose({});
  linked.open = true;
  linked.scrollIntoView();
}

function follow(event) {
  const cell = event.target.closest("a.cell");
  if (cell === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose({ site: cell.dataset.site, keyword: cell.dataset.keyword });
  const section = document.getElementById("findings");
  section.scrollIntoView();
  (findings.find((finding) => !finding.hidden)?.querySelector("summary") ?? section).focus({ preventScroll: true });
}

async function copy(button) {
  const text = button.parentElement.querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    button.textContent = "Press Ctrl-C to copy";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

if (findings.length > 0) {
  document.documentElement.classList.add("scripted");
  search.addEventListener("input", show);
  for (const select of selects) select.addEventListener("change", show);
  for (const id of ["clear", "all"]) document.getElementById(id).addEventListener("click", () => { choose({}); search.focus(); });
  unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    for (const finding of findings) if (!finding.hidden) finding.open = open;
    unfold.setAttribute("aria-pressed", String(open));
    unfold.textContent = open ? "Close all" : "Open all";
  });
  list.addEventListener("click", (event) => { if (event.target.matches(".copy")) copy(event.target); });
  document.querySelector(".heat")?.addEventListener("click", follow);
  document.getElementById("wrong-only")?.addEventListener("change", (event) => {
    document.body.classList.toggle("wrong-only", event.target.checked);
  });
  addEventListener("hashchange", openLinked);
  document.getElementById("tools").hidden = false;
  show();
  openLinked();
}
