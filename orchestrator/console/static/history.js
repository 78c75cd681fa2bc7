// How a task went: what was asked and said, who did it, and why it was they.

import { decision } from "./decision.js";
import { badge, code, h, link, section, table, when } from "./dom.js";
import { parts } from "./message.js";
import { stateOf } from "./tasks.js";

const problem = (e) => e && [code(e.reason), " ", e.message];

/** attempts lists each time the task was sent to an agent. */
export const attempts = (t) =>
  t.attempts?.length > 0 &&
  section(
    "Attempts",
    table(
      "Attempts",
      ["No.", "Agent", "Its task", "Over", "Begun", "Ended", "What went wrong"],
      t.attempts.map((a) => [
        String(a.number),
        link(a.agent, "agents", a.agent),
        a.remoteTaskId && code(a.remoteTaskId),
        a.binding,
        when(a.startTime),
        a.endTime ? when(a.endTime) : "runs",
        problem(a.error),
      ]),
    ),
  );

/** plan shows who does which step. */
export const plan = (t) =>
  t.plan &&
  section(
    "Plan",
    h("p", null, `${t.plan.mode}, ${t.plan.needed} needed`),
    table(
      "Steps",
      ["No.", "Agent", "Task", "State", "What went wrong"],
      t.plan.steps.map((s, i) => [
        String(i + 1),
        link(s.agent, "agents", s.agent),
        s.taskId && link(s.taskId, "tasks", s.taskId),
        s.taskId ? badge(stateOf(s)) : "not begun",
        problem(s.error),
      ]),
    ),
  );

/** why explains where the task went. */
export const why = (t) => t.explanation && section("Explanation", decision(t.explanation));

/** message shows what was asked for. */
export const message = (t) => t.message && section("Message", parts(t.message.parts));

/** turns shows what was said since. */
export const turns = (t) =>
  t.turns?.length > 0 &&
  section(
    "Turns",
    t.turns.map((turn) =>
      h(
        "div",
        { class: "turn" },
        h("p", null, turn.fromAgent ? "The agent, " : "The caller, ", when(turn.time), turn.pending && " (on its way)"),
        turn.message ? parts(turn.message.parts) : h("p", null, "held back"),
      ),
    ),
  );
