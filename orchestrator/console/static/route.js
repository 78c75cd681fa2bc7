// The four ways to say where a task goes, and whether one agent does it or several.

import { get } from "./api.js";
import { h } from "./dom.js";
import { latest } from "./live.js";
import { choice, field } from "./ui.js";

const ways = [
  ["agent", "by agent"],
  ["skill", "by skill"],
  ["contract", "by contract: what is there and what is wanted"],
  ["text", "by text: what the message asks for"],
];
/** routeFields are the fields of a route, of which those are seen that its way needs. */
export function routeFields(given, signal) {
  const by = choice({ name: "by", id: "by" }, given.by ?? "agent", ways);
  const input = (name, more) => h("input", { name, id: name, value: given[name], spellcheck: "false", ...more });
  const names = h("datalist", { id: "names" });
  const suggest = latest(
    (typed) => get("/v1/agents", { filter: /^[A-Za-z0-9-]+$/.test(typed) ? `name=${typed}*` : "", pageSize: 10 }, signal),
    (page) => names.replaceChildren(...(page.agents ?? []).map((agent) => h("option", { value: agent.name }))),
  );
  const groups = {
    agent: [
      field(
        "Agent",
        input("agent", {
          "data-fills": "route.agent",
          maxlength: "64",
          list: "names",
          oninput: (event) => suggest(event.target.value).catch(() => {}),
        }),
      ),
      names,
    ],
    skill: [field("Skill", input("skill", { "data-fills": "route.skill", maxlength: "256", placeholder: "fetch_url" }), "its id")],
    contract: [
      field(
        "What is there",
        h("textarea", { name: "have", "data-fills": "route.contract.inputs", rows: "2", spellcheck: "false", placeholder: "url:reference" }),
        "One in a line: a name, a type (document, artifact, collection, reference, comment), or name:type.",
      ),
      field("What is wanted", input("want", { "data-fills": "route.contract.output", placeholder: "page:document" })),
    ],
    text: [],
  };
  const places = Object.entries(groups).map(([way, fields]) => h("div", { "data-way": way }, fields));
  const fanOut = h(
    "div",
    null,
    field(
      "Fan-out",
      input("fanOut", { "data-fills": "route.fan_out", placeholder: "any" }),
      "To have several agents do it: all, any, or the number that has to complete it.",
    ),
  );
  const choose = () => {
    places.forEach((p) => (p.hidden = p.dataset.way !== by.value));
    fanOut.hidden = by.value === "agent";
  };
  by.addEventListener("change", choose);
  choose();
  return [field("Route", by), places, fanOut];
}

/** routeOf makes a Route of the fields' values. */
export function routeOf({ by, agent, skill, have, want, text, fanOut }) {
  const to = {
    agent: () => ({ agent: agent.trim() }),
    skill: () => ({ skill: skill.trim() }),
    contract: () => ({ contract: { inputs: lines(have).map(typed), output: typed(want.trim()) } }),
    text: () => ({ text: text.trim() }),
  };
  return { ...to[by](), ...(fanOut && by !== "agent" && { fanOut: fanOutOf(fanOut.trim()) }) };
}

const fanOutOf = (text) => (/^\d+$/.test(text) ? { mode: "k_of_n", k: Number(text) } : { mode: text });

/** lines are those that say something. */
export const lines = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** typed reads a name, a semantic type, or name:type, as the command line does. */
function typed(text) {
  const types = ["document", "artifact", "collection", "reference", "comment"];
  const colon = text.lastIndexOf(":");
  if (types.includes(text)) return { semanticType: text };
  return types.includes(text.slice(colon + 1)) ? { name: text.slice(0, colon), semanticType: text.slice(colon + 1) } : { name: text };
}
