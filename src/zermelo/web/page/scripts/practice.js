// Practice: exercises that are marked at once, sets for a class, and the grades of a class. Each is a view of the page.

import { get } from "./api.js";
import { makeSets } from "./practice/class_set.js";
import { practiseExercises } from "./practice/exercises.js";
import { gradeClasses } from "./practice/grading.js";
import "./shell.js";

const VIEWS = ["exercise", "set", "grade"];

/** Show the view that the address names. */
function showView() {
  const name = location.hash.slice(1);
  const chosen = VIEWS.includes(name) ? name : VIEWS[0];
  for (const view of VIEWS) {
    document.getElementById(view).hidden = view !== chosen;
    const link = document.querySelector(`.views a[href="#${view}"]`);
    if (view === chosen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

addEventListener("hashchange", showView);
showView();
gradeClasses();
try {
  const { kinds, difficulties } = await get("/api/practice/kinds");
  makeSets(kinds, difficulties);
  practiseExercises(kinds, difficulties);
} catch (error) {
  document.getElementById("problem").textContent = error.message;
}
