// The sheet of an exam: it saves the answer file and checks nothing. No search is on this page.

import { pageData } from "./dom.js";
import { makeSheets } from "./sheet.js";

document.documentElement.classList.add("has-script");
makeSheets(pageData());
