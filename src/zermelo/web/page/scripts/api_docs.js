// The description of the API: each operation with its parameters, its body and what it answers.

import "./shell.js";
import { get } from "./api.js";
import { element } from "/scripts/teaching/dom.js";

/** @typedef {Record<string, any>} Schema */
/** @typedef {{name: string, schema: Schema, required?: boolean, place?: string}} Field */

/**
 * The name of a type: `integer`, `list of Move`, `Position or null`.
 *
 * @param {Schema | null | undefined} schema
 * @returns {string}
 */
function typeName(schema) {
  if (!schema) return "nothing";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(typeName).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.prefixItems) return `(${schema.prefixItems.map(typeName).join(", ")})`;
  if (schema.type === "array") return `list of ${typeName(schema.items ?? {})}`;
  return `${schema.type ?? "any"}${range(schema)}`;
}

/** The bounds of a number or a length, as ` 1 to 10`. */
function range(schema) {
  const low = schema.minimum ?? schema.exclusiveMinimum ?? schema.minLength ?? schema.minItems;
  const high = schema.maximum ?? schema.exclusiveMaximum ?? schema.maxLength ?? schema.maxItems;
  if (low !== undefined && high !== undefined) return ` ${low} to ${high}`;
  if (low !== undefined) return ` from ${low}`;
  return high === undefined ? "" : ` to ${high}`;
}

/** @param {Field[]} fields */
function fieldTable(fields) {
  const notes = (field) => {
    const preset = field.schema.default;
    const texts = [field.place, field.required ? "required" : "", field.schema.description];
    return [...texts, preset === undefined ? "" : `default ${JSON.stringify(preset)}`].filter(Boolean).join(", ");
  };
  const cells = (field) => [element("code", { text: field.name }), typeName(field.schema), notes(field)];
  const row = (field) => element("tr", {}, ...cells(field).map((cell) => element("td", {}, cell)));
  return element("table", {}, element("tbody", {}, ...fields.map(row)));
}

/**
 * The fields of an object.
 *
 * @param {Schema} schema
 * @param {Record<string, Schema>} types
 * @returns {Field[]}
 */
function fieldsOf(schema, types) {
  const found = schema?.$ref ? types[typeName(schema)] : schema ?? {};
  const required = new Set(found.required ?? []);
  const properties = Object.entries(found.properties ?? {});
  return properties.map(([name, each]) => ({ name, schema: each, required: required.has(name) }));
}

/** A part of an operation: a heading, and the fields where there are some. */
function part(heading, fields) {
  return [element("h3", { text: heading }), ...(fields.length ? [fieldTable(fields)] : [])];
}

function operationElement(method, path, operation, types) {
  const parts = [];
  const described = (heading, schema) => parts.push(...part(`${heading}: ${typeName(schema)}`, fieldsOf(schema, types)));
  const parameters = (operation.parameters ?? []).map((each) => ({ ...each, place: `in the ${each.in}` }));
  if (parameters.length) parts.push(...part("Parameters", parameters));
  const body = operation.requestBody?.content["application/json"].schema;
  if (body) parts.push(...part("Body", fieldsOf(body, types)));
  const content = operation.responses?.["200"]?.content ?? {};
  if (content["application/json"]) described("Response", content["application/json"].schema);
  const events = content["text/event-stream"]?.["x-events"] ?? {};
  for (const [name, schema] of Object.entries(events)) described(`Event ${name}`, schema);
  if (operation.receives) described("The client sends", operation.receives);
  if (operation.sends) described("The server sends", operation.sends);
  const title = [
    element("span", { class: "method", text: method }),
    element("code", { text: path }),
    element("span", { class: "purpose", text: operation.summary }),
  ];
  return element("details", {}, element("summary", {}, ...title), element("div", { class: "part" }, ...parts));
}

function typeElement(name, types) {
  const content = [element("p", { text: types[name].description ?? "" }), fieldTable(fieldsOf(types[name], types))];
  const title = element("summary", {}, element("code", { text: name }));
  return element("details", {}, title, element("div", { class: "part" }, ...content));
}

async function show() {
  const description = await get("/api/openapi.json");
  const types = description.components.schemas;
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => operationElement(method.toUpperCase(), path, each, types)),
  );
  const sockets = Object.entries(description["x-websockets"]);
  document.querySelector("#operations")?.replaceChildren(
    ...operations,
    ...(sockets.length ? [element("h2", { text: "WebSockets" })] : []),
    ...sockets.map(([path, each]) => operationElement("WS", path, each, types)),
    element("h2", { text: "Types" }),
    ...Object.keys(types).sort().map((name) => typeElement(name, types)),
  );
}

show().catch((error) => {
  const place = document.querySelector("#operations");
  if (place) place.textContent = `The description cannot be shown: ${error.message}`;
});
