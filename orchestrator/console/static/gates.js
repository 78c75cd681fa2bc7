// The gates of a task: what was looked for, what was found, and why that is enough or not.

import { path, send } from "./api.js";
import { may } from "./caller.js";
import { badge, code, facts, h, link, section, table, when } from "./dom.js";
import { ended } from "./tasks.js";
import { button } from "./ui.js";

/** gates shows each gate as the task met it, and behind them what the evidence says now where that is something else. */
export function gates(t) {
  const seen = new Map((t.gates ?? []).flatMap((g) => (g.requirements ?? []).map((r) => [`${r.phase} ${r.id}`, r.verdict])));
  const news = ended(t) ? [] : (t.check.requirements ?? []).filter((r) => seen.get(`${r.phase} ${r.id}`) !== r.verdict);
  if (!t.gates?.length && !news.length) return false;
  return section(
    "Gates",
    (t.gates ?? []).map((g) =>
      h(
        "article",
        { class: "gate" },
        h("h3", null, g.phase, " ", badge(g.allowed ? "allowed" : "blocked")),
        h("p", { class: "quiet" }, "checked ", when(g.checkTime), g.subjectDigest && [", about content ", code(g.subjectDigest)]),
        g.requirements?.length ? g.requirements.map((r) => requirement(t, r)) : h("p", null, "No rule of the agent is about this phase."),
      ),
    ),
    news.length > 0 &&
      h(
        "article",
        { class: "gate" },
        h("h3", null, "Since then, or not checked by a gate yet"),
        news.map((r) => requirement(t, r)),
      ),
  );
}

function requirement(t, r) {
  const open = r.applies && r.verdict !== "approved" && !ended(t) && may("ConsultationService/RequestConsultation", t.agent);
  const asking = t.consultations.find((c) => c.requirementId === r.id && c.state === "asking");
  return h(
    "div",
    { class: "requirement" },
    h("h4", null, code(r.id), " ", r.applies ? badge(r.verdict) : "does not apply"),
    facts([
      ["Consults", [link(r.targetAgent, "agents", r.targetAgent), r.mandatory ? ", mandatory" : ", recommended"]],
      ["Code", code(r.code)],
      ["Reason", r.reason],
      ["Looked for", r.lookedFor],
      ["Found", r.found],
      ["Level", r.requiredLevel && `${r.reachedLevel || "none"}; ${r.requiredLevel} is needed`],
    ]),
    (r.evidence ?? []).map(evidence),
    open && asking && h("p", null, link(`Answer ${r.targetAgent}`, "tasks", asking.carrierTaskId)),
    open &&
      !asking &&
      button(`Have ${r.targetAgent} consulted`, {}, () =>
        send("POST", path("tasks", t.id, "consultations"), { body: { requirementId: r.id } }).then(() => []),
      ),
  );
}

const evidence = (e) =>
  h(
    "blockquote",
    null,
    h(
      "p",
      null,
      badge(e.outcome),
      e.backend && ` found in ${e.backend}`,
      e.recorder ? [" recorded by ", link(e.recorder, "agents", e.recorder)] : " recorded by nobody knows whom",
      ", ",
      when(e.timestamp),
      `, attempt ${e.attempt ?? 0}, level ${e.level}`,
    ),
    e.feedback && h("pre", { tabindex: "0" }, e.feedback),
    h("p", { class: "quiet" }, "trace ", code(e.traceId), " span ", code(e.spanId)),
  );

/** consultations lists who was asked. */
export const consultations = (t) =>
  t.consultations.length > 0 &&
  section(
    "Consultations",
    table(
      "Consultations",
      ["Requirement", "Target", "Attempt", "State", "Outcome", "Feedback", "Issued", "Task"],
      t.consultations.map((c) => [
        code(c.requirementId),
        link(c.targetAgent, "agents", c.targetAgent),
        String(c.attempt),
        c.state,
        c.outcome && badge(c.outcome),
        c.feedback,
        when(c.issueTime),
        c.carrierTaskId && link(c.carrierTaskId, "tasks", c.carrierTaskId),
      ]),
    ),
  );
