// The list of tasks.

import { get } from "./api.js";
import { may } from "./caller.js";
import { badge, code, h, link, table, when } from "./dom.js";
import { filters, pager, shortcuts, tried } from "./list.js";
import { every } from "./live.js";
import { changing, connection, empty, field } from "./ui.js";

const needed = [
  ["", "all"],
  ["blocked=true", "blocked"],
  ["blocked=false AND (state=INPUT_REQUIRED OR state=AUTH_REQUIRED)", "waiting for an answer"],
  ["state=TASK_STATE_WORKING", "working"],
  ["state=TASK_STATE_FAILED", "failed"],
  ["state=TASK_STATE_COMPLETED", "completed"],
];

/** tasks shows a page of tasks, the newest first, and asks for it again every few seconds. */
export async function tasks({ query, signal }) {
  const asked = Object.fromEntries(query);
  const list = changing((page) => [rows(page, asked), pager("tasks", query, page.nextPageToken)]);
  const lost = connection();
  const load = () => get("/v1/tasks", { ...asked, pageSize: 50 }, signal);
  const [page, problem] = await tried(load());
  if (!problem) {
    list.show(page);
    every(5000, signal, lost.told, async () => list.show(await load()));
  }
  return [
    h(
      "div",
      { class: "title" },
      h("h1", null, "Tasks"),
      may("TaskService/SubmitTask") && h("a", { class: "button", href: "#/dispatch" }, "Dispatch a task"),
    ),
    filters(
      "tasks",
      field(
        "Filter",
        h("input", { id: "filter", name: "filter", value: asked.filter, placeholder: "state=FAILED AND agent=web*", spellcheck: "false" }),
      ),
    ),
    shortcuts("tasks", asked.filter, needed),
    lost,
    problem ? [problem, pager("tasks", query)] : list,
  ];
}

function rows(page, { filter, pageToken }) {
  const list = (page.tasks ?? []).map((t) => [
    link(t.id, "tasks", t.id),
    badge(stateOf(t)),
    t.phase === "done" ? "" : t.phase,
    t.agent && link(t.agent, "agents", t.agent),
    t.skill,
    t.error && code(t.error.reason),
    when(t.createTime),
    when(t.updateTime),
  ]);
  if (list.length > 0) return table("Tasks", ["Task", "State", "Phase", "Agent", "Skill", "Reason", "Accepted", "Changed"], list);
  if (page.nextPageToken) return empty("None among the tasks that were looked at for this page; older ones are on the next.");
  if (filter || pageToken)
    return empty(
      "No task passes this filter. It compares id, context_id, parent_task_id, state, phase, agent, skill, blocked, create_time, update_time and deadline.",
    );
  if (!may("TaskService/SubmitTask")) return empty("There is no task yet that you may see.");
  return empty("There is no task yet. ", h("a", { href: "#/dispatch" }, "Dispatch one"), ".");
}

/** stateOf is a task's state in words: blocked when a gate holds it, and the A2A state otherwise. */
export function stateOf(t) {
  const words = (t.state ?? "").replace("TASK_STATE_", "").replaceAll("_", " ").toLowerCase();
  return words === "input required" && t.gates?.some((g) => g.phase === t.phase && !g.allowed) ? "blocked" : words;
}

/** ended reports whether nothing more happens to a task. */
export const ended = (t) => t.phase === "done" || ["completed", "failed", "canceled", "rejected"].includes(stateOf(t));
