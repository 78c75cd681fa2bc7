// One task: where it is, why it went there, what its gates looked for and found, and what it made.

import { get, path, post, send } from "./api.js";
import { may } from "./caller.js";
import { ask } from "./dialog.js";
import { badge, code, facts, h, link, when } from "./dom.js";
import { eventLog } from "./events.js";
import { consultations, gates } from "./gates.js";
import { attempts, message, plan, turns, why } from "./history.js";
import { followTask, soon } from "./live.js";
import { artifacts, parts } from "./message.js";
import { ended, stateOf } from "./tasks.js";
import { button, changing, connection, field, form } from "./ui.js";

/** task shows one task and follows it to its end. */
export async function task({ id, signal }) {
  const url = path("tasks", id);
  const [now, ...above] = views(
    [state, "state phase gates"],
    [trouble, "state phase gates error"],
    [actions, "url state phase gates error statusMessage"],
    [summary, "id agent skill phase withheldArtifacts attributes parentTaskId contextId createTime updateTime deadline state traceId"],
    [gates, "id agent state phase gates check consultations"],
    [consultations, "consultations"],
  );
  const below = views(
    [message, "message"],
    [turns, "turns"],
    [artifacts, "state phase artifacts withheldArtifacts"],
    [plan, "plan"],
    [attempts, "attempts"],
    [why, "explanation"],
  );
  now.setAttribute("role", "status"); // who waits for the task hears of it
  const again = async () => {
    const [t, check, held] = await Promise.all([
      get(url, {}, signal),
      get(url + ":checkConsultations", {}, signal),
      get(path("tasks", id, "consultations"), { pageSize: 100 }, signal), // a task has no more
    ]);
    [now, ...above, ...below].forEach((view) => view.showTask({ ...t, url, check, consultations: held.consultations ?? [] }));
  };
  await again();
  const lost = connection();
  const log = eventLog(id, signal);
  const changed = soon(signal, lost.told, again);
  followTask(url, signal, lost.told, ({ event }) => {
    if (event) log.add(event);
    changed();
  });
  return [h("div", { class: "title" }, h("h1", null, "Task ", code(id)), now), lost, above, log, below];
}

/** views shows parts of a task, each anew only when the fields that it needs have changed: what is being typed or read stays. */
const views = (...list) =>
  list.map(([make, fields]) => {
    const view = changing(make);
    return Object.assign(view, { showTask: (t) => view.show(Object.fromEntries(fields.split(" ").map((name) => [name, t[name]]))) });
  });

const state = (t) => badge(stateOf(t));

const trouble = (t) =>
  t.error &&
  (stateOf(t) === "blocked"
    ? h("div", { class: "notice warn" }, h("p", null, "A gate holds this task: ", code(t.error.reason), ". What it looked for and found is below."))
    : h("div", { class: "notice bad" }, h("p", null, t.error.message), h("p", null, "Reason: ", code(t.error.reason))));

function actions(t) {
  const waits = !t.error && ["input required", "auth required"].includes(stateOf(t)); // with an error it is a gate, perhaps of a step, that waits
  return (
    !ended(t) &&
    h(
      "div",
      { class: "buttons" },
      may("TaskService/CancelTask") &&
        button("Cancel…", { class: "plain danger" }, async () => {
          await ask(
            "Cancel this task?",
            "Cancel it",
            () => post(t.url + ":cancel"),
            h("p", null, "Its agent is told to stop. What it has done is not undone."),
          );
        }),
      waits &&
        may("TaskService/ReplyToTask") &&
        form(
          { class: "reply" },
          ({ text }) => send("POST", t.url + ":reply", { body: { message: { parts: [{ text }] } } }).then(() => []),
          h("p", null, "The agent waits for an answer:"),
          parts(t.statusMessage?.parts),
          field("Answer", h("textarea", { name: "text", rows: "3", required: true })),
          h("button", null, "Send"),
        ),
    )
  );
}

const summary = (t) =>
  facts([
    ["Agent", t.agent && link(t.agent, "agents", t.agent)],
    ["Skill", t.skill && code(t.skill)],
    ["Phase", t.phase],
    ["Withheld", t.withheldArtifacts && `artifacts: ${t.withheldArtifacts}, ${ended(t) ? "since no gate opened" : "until the gate opens"}`],
    ["Attributes", Object.entries(t.attributes ?? {}).map(([name, value]) => h("div", null, code(`${name}=${JSON.stringify(value)}`)))],
    ["Parent task", t.parentTaskId && link(t.parentTaskId, "tasks", t.parentTaskId)],
    ["Context", t.contextId !== t.id && code(t.contextId)],
    ["Accepted", when(t.createTime)],
    ["Changed", when(t.updateTime)],
    ["Deadline", !ended(t) && when(t.deadline)],
    ["Trace", code(t.traceId)],
  ]);
