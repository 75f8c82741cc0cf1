"use strict";
const filter = document.getElementById("filter");
const gaps = document.getElementById("gaps");
const unfold = document.getElementById("unfold");
const rows = [...document.querySelectorAll(".row")];

function show() {
  const wanted = filter.value.trim().toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const fits = row.dataset.site.toLowerCase().includes(wanted);
    row.classList.toggle("hidden", !fits);
    shown += fits && !(gaps.checked && row.classList.contains("full"));
  }
  for (const section of document.querySelectorAll("main > section")) {
    const map = section.querySelector(".map");
    map.classList.toggle("hidden", !map.querySelector(gaps.checked ? ".row:not(.hidden, .full)" : ".row:not(.hidden)"));
  }
  document.body.classList.toggle("filtered", wanted !== "" || gaps.checked);
  document.body.classList.toggle("gaps-only", gaps.checked);
  document.getElementById("shown").textContent = `${shown} of ${rows.length} sites`;
}

filter.addEventListener("input", show);
gaps.addEventListener("change", show);
unfold.addEventListener("click", () => {
  const open = unfold.getAttribute("aria-pressed") !== "true";
  rows.forEach((row) => { row.open = open; });
  unfold.setAttribute("aria-pressed", String(open));
  unfold.textContent = open ? "Close all" : "Open all";
});
document.getElementById("tools").hidden = false;
show();
