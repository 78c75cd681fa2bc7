// Dispatching a task, and the same decision without dispatching it.

import { post, send } from "./api.js";
import { may } from "./caller.js";
import { decision } from "./decision.js";
import { h } from "./dom.js";
import { lines, routeFields, routeOf } from "./route.js";
import { field, form, wrong } from "./ui.js";

/** dispatch is a form with two buttons: where would it go, and go. */
export async function dispatch({ query, signal }) {
  return [
    h("h1", null, "Dispatch"),
    form(
      null,
      (values, pressed) => submit(values, pressed.value, signal),
      routeFields(Object.fromEntries(query), signal),
      field("Message", h("textarea", { name: "text", "data-fills": "message route.text", rows: "4", id: "text" }), "What to do."),
      field(
        "Attributes",
        h("textarea", {
          name: "attributes",
          "data-fills": "attributes",
          rows: "2",
          spellcheck: "false",
          placeholder: "handling_sensitive_data=true",
        }),
        'What rules look at: key=value, one in a line; true, 7 and "7" are a boolean, a number and a text.',
      ),
      field(
        "Inputs",
        h("textarea", { name: "inputs", "data-fills": "inputs", rows: "2", spellcheck: "false" }),
        "Inputs that the agent declares: name=value, one in a line.",
      ),
      h(
        "div",
        { class: "buttons" },
        h("button", { value: "resolve", class: "plain" }, "Where would it go?"),
        may("TaskService/SubmitTask") && h("button", { value: "dispatch" }, "Dispatch"),
      ),
    ),
  ];
}

async function submit(values, what, signal) {
  const route = routeOf(values);
  const inputs = Object.entries(pairs(values.inputs, "inputs", "an input")).map(([name, value]) => ({ name, value }));
  const attributes = pairs(values.attributes, "attributes", "an attribute");
  const message = values.text.trim() ? { parts: [{ text: values.text }] } : undefined;
  if (what === "resolve") return decision(await post("/v1/routes:resolve", { route, inputs, message }, signal));
  if (!message) throw wrong("message", "Say in the message what to do.");
  const task = await send("POST", "/v1/tasks", { body: { message, route, inputs, attributes } });
  location.hash = `#/tasks/${encodeURIComponent(task.id)}`;
}

/** pairs reads key=value lines; a value that is JSON is what it says, and any other is a text. Spaces around a name would hide it from the rules. */
function pairs(text, where, what) {
  const found = new Map();
  for (const line of lines(text)) {
    const at = line.indexOf("=");
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (!name) throw wrong(where, `“${line}” is not ${what}: write key=value.`);
    if (found.has(name)) throw wrong(where, `“${name}” occurs twice.`);
    found.set(name, valueOf(line.slice(at + 1).trim(), where));
  }
  return Object.fromEntries(found);
}

function valueOf(text, where) {
  let value;
  let lost; // a number that would be sent as another, or as null
  try {
    value = JSON.parse(text, (_, part, context) => {
      const source = context?.source ?? text; // older browsers do not say how it is written
      if (typeof part === "number" && !kept(source, part)) lost ??= source;
      return part;
    });
  } catch {
    return text;
  }
  if (lost) throw wrong(where, `The number ${lost} has more digits than are kept. To send it as a text, put it in quotes: "${lost}".`);
  return value;
}

const kept = (source, number) => Number.isFinite(number) && !(/^\s*-?\d+\s*$/.test(source) && BigInt(source) !== BigInt(number));
