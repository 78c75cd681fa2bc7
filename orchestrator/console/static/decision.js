// Why a task goes where it goes: who was chosen, who could have been, who could not and why.

import { code, h, link, table } from "./dom.js";

/** decision shows a RouteDecision. */
export function decision(d) {
  const agent = (name) => link(name, "agents", name);
  const candidates = (d.candidates ?? []).map((c) => [
    agent(c.agent),
    code(c.skill),
    score(c.score),
    (c.reasons ?? []).map((r) => h("div", null, r)),
  ]);
  const rejected = (d.rejected ?? []).map((r) => [agent(r.agent), code(r.code), r.reason]);
  return h(
    "div",
    { class: "decision" },
    h("p", null, verdict(d, agent)),
    d.chain?.length > 0 &&
      h(
        "ol",
        null,
        d.chain.map((l) => h("li", null, agent(l.agent), ": ", (l.inputs ?? []).map(typed).join(", "), " → ", typed(l.output))),
      ),
    candidates.length > 0 && table("Candidates, those that were chosen first", ["Agent", "Skill", "Score", "Why"], candidates),
    rejected.length > 0 && table("Rejected", ["Agent", "Code", "Why"], rejected),
    d.omitted && h("p", { class: "quiet" }, `and ${d.omitted} more`),
  );
}

function verdict(d, agent) {
  if (d.refused) return ["Refused: ", d.refused];
  if (d.fanOut?.length) return ["Several at the same time: ", d.fanOut.map((name, i) => [i > 0 && ", ", agent(name)])];
  if (d.chain?.length && !d.chosen) return "No agent alone; these, one after the other:";
  return ["Chosen: ", agent(d.chosen), d.skill && [" for its skill ", code(d.skill)]];
}

const score = (value) =>
  h("span", { class: "score" }, h("meter", { min: "0", max: "1", value: String(value ?? 0), "aria-hidden": "true" }), " ", (value ?? 0).toFixed(2));

const typed = (t = {}) => (t.name && t.semanticType ? `${t.name} (${t.semanticType})` : t.name || t.semanticType || "anything");
