// Dispatching a task, and the same decision without dispatching it.

import { post, send } from "./api.js";
import { decision } from "./decision.js";
import { h } from "./dom.js";
import { choice, field, form } from "./ui.js";

const ways = [["agent", "to an agent"], ["skill", "to one that has a skill"], ["contract", "to one that makes an output"], ["text", "by words"]];
const several = [["", "one of them"], ["any", "several: one is enough"], ["all", "several: all"]];

/** dispatch is a form with two buttons: where would it go, and go. */
export async function dispatch({ query, signal }) {
  const given = Object.fromEntries(query);
  const by = choice({ name: "by", id: "by" }, given.by ?? "agent", ways);
  const input = (name, more) => h("input", { name, id: name, value: given[name], spellcheck: "false", ...more });
  const groups = {
    agent: [field("Agent", input("agent", { maxlength: "64" }))],
    skill: [field("Skill", input("skill", { maxlength: "256", placeholder: "fetch_url" }), "its id")],
    contract: [
      field("What is there", h("textarea", { name: "have", rows: "2", spellcheck: "false", placeholder: "url:reference" }), "One in a line: a name, a type (document, artifact, collection, reference, comment), or name:type."),
      field("What is wanted", input("want", { placeholder: "page:document" }))],
    text: [field("In words", h("textarea", { name: "routeText", rows: "2", maxlength: "4096" }), "The agent whose skills are most like it is chosen. Empty takes what to do.")],
  };
  const places = Object.entries(groups).map(([way, fields]) => h("div", { "data-way": way }, fields));
  const fanOut = h("div", null, field("By how many", choice({ name: "fanOut" }, "", several)));
  const choose = () => {
    places.forEach((p) => (p.hidden = p.dataset.way !== by.value));
    fanOut.hidden = by.value === "agent";
  };
  by.addEventListener("change", choose);
  choose();
  return [
    h("h1", null, "Dispatch"),
    form(null, (values, pressed) => submit(values, pressed.value, signal),
      field("Goes", by), places, fanOut,
      field("What to do", h("textarea", { name: "text", rows: "4", id: "text" }), "What the agent is told."),
      field("Attributes", h("textarea", { name: "attributes", rows: "2", spellcheck: "false", placeholder: "handling_sensitive_data=true" }), "What rules look at: key=value, one in a line; true, 7 and \"7\" are a boolean, a number and a text."),
      field("Inputs", h("textarea", { name: "inputs", rows: "2", spellcheck: "false" }), "Inputs that the agent declares: name=value, one in a line."),
      h("div", { class: "buttons" }, h("button", { value: "resolve", class: "plain" }, "Where would it go?"), h("button", { value: "dispatch" }, "Dispatch"))),
  ];
}

async function submit(values, what, signal) {
  const route = routeOf(values);
  const inputs = Object.entries(pairs(values.inputs, "an input")).map(([name, value]) => ({ name, value }));
  const message = values.text.trim() ? { parts: [{ text: values.text }] } : undefined;
  if (what === "resolve") return decision(await post("/v1/routes:resolve", { route, inputs, message }, signal));
  if (!message) throw new Error("Say what to do.");
  const task = await send("POST", "/v1/tasks", { body: { message, route, inputs, attributes: pairs(values.attributes, "an attribute") } });
  location.hash = `#/tasks/${encodeURIComponent(task.id)}`;
}

function routeOf({ by, agent, skill, have, want, routeText, text, fanOut }) {
  const to = {
    agent: () => ({ agent: agent.trim() }),
    skill: () => ({ skill: skill.trim() }),
    contract: () => ({ contract: { inputs: lines(have).map(typed), output: typed(want.trim()) } }),
    text: () => ({ text: routeText.trim() || text.trim() }),
  };
  return { ...to[by](), ...(fanOut && by !== "agent" && { fanOut: { mode: fanOut } }) };
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** typed reads a name, a semantic type, or name:type, as the command line does. */
function typed(text) {
  const types = ["document", "artifact", "collection", "reference", "comment"];
  const colon = text.lastIndexOf(":");
  if (types.includes(text)) return { semanticType: text };
  return types.includes(text.slice(colon + 1)) ? { name: text.slice(0, colon), semanticType: text.slice(colon + 1) } : { name: text };
}

/** pairs reads key=value lines; a value that is JSON is what it says, and any other is a text. */
function pairs(text, what) {
  return Object.fromEntries(lines(text).map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`“${line}” is not ${what}: write key=value.`);
    const value = line.slice(at + 1);
    try {
      return [line.slice(0, at), JSON.parse(value)];
    } catch {
      return [line.slice(0, at), value];
    }
  }));
}
