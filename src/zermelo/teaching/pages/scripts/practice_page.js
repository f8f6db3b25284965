// The page of sheets for practice.

import { pageData } from "./dom.js";
import { Practice } from "./practice.js";
import { makeSheets } from "./sheet.js";

document.documentElement.classList.add("has-script");
for (const sheet of makeSheets(pageData())) new Practice(sheet);
