// The page of the tree editor.

import { pageData } from "./dom.js";
import { openEditor } from "./editor.js";
import { treeFromJson } from "./tree.js";

const edited = pageData();
document.getElementById("editor").hidden = false;
openEditor(treeFromJson(edited.tree, edited.name), edited.convention);
