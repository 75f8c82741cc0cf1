"use strict";
const groups = [...document.querySelectorAll(".group")];
const search = document.getElementById("search");
const unfold = document.getElementById("unfold");
const shown = document.getElementById("shown");
const texts = new Map(groups.map(group => [group, group.textContent.toLowerCase()]));

function filter() {
  const wanted = search.value.trim().toLowerCase();
  let count = 0;
  for (const group of groups) {
    group.hidden = !texts.get(group).includes(wanted);
    count += group.hidden ? 0 : 1;
    for (const finding of group.querySelectorAll(".finding")) {
      finding.hidden = !group.hidden && !finding.textContent.toLowerCase().includes(wanted)
        && !group.querySelector("summary").textContent.toLowerCase().includes(wanted);
    }
  }
  shown.textContent = wanted ? `${count} of ${groups.length} groups` : "";
}

function toggle() {
  const open = unfold.getAttribute("aria-pressed") !== "true";
  unfold.setAttribute("aria-pressed", String(open));
  unfold.textContent = open ? "Close all" : "Open all";
  for (const details of document.querySelectorAll("details")) { details.open = open; }
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) { target.open = true; target.scrollIntoView(); }
}

document.getElementById("tools").hidden = false;
search.addEventListener("input", filter);
unfold.addEventListener("click", toggle);
addEventListener("hashchange", openTarget);
filter();
openTarget();
