// One agent: what it is, what it needs, whether it is up, and what an admin does with it.

import { says, state } from "./agents.js";
import { get, path, post, send } from "./api.js";
import { may } from "./caller.js";
import { contract, description, registration } from "./card.js";
import { ask, tell } from "./dialog.js";
import { code, facts, h, section, table, when } from "./dom.js";
import { every, followAgents, latest } from "./live.js";
import { button, changing, connection, field, success } from "./ui.js";

/** agent shows one agent and keeps it up to date. */
export async function agent({ id, signal }) {
  const url = path("agents", id);
  const said = h("div", { class: "answer", "aria-live": "polite" }); // stays when the buttons are others
  const parts = [
    changing(state),
    changing((a) => actions(a, said)),
    changing((a) => waiting(a, said)),
    changing(status),
    changing(description),
    changing(contract),
    changing(registration),
  ];
  const show = (a) => {
    const { status: live = {}, ...registered } = a;
    const { etag, name } = a;
    const change = a.pendingChange;
    const values = [
      live,
      { url, etag, name, draining: live.draining, fromURL: Boolean(a.cardUri) },
      { url, etag: change && etag, change },
      live,
      a.card,
      a.metadata ?? {},
      registered,
    ];
    parts.forEach((part, i) => part.show(values[i]));
  };
  const again = latest(() => get(url, {}, signal), show);
  await again();
  const lost = connection();
  const told = (error) => (error?.status === 404 ? lost.replaceChildren("This agent is deleted.") : lost.told(error));
  const refresh = () => again().then(() => told(), told); // one that is deleted may come back
  followAgents(signal, told, (event) => event.agentName === id && refresh(), refresh);
  every(10_000, signal, told, again); // heartbeats are no changes
  return [h("div", { class: "title" }, h("h1", null, id), parts[0]), lost, parts[1], said, ...parts.slice(2)];
}

function actions({ url, etag, name, draining, fromURL }, said) {
  const does = (text, attributes, act) => button(text, attributes, act, said);
  return h(
    "div",
    { class: "buttons" },
    may("TaskService/SubmitTask") &&
      h("a", { class: "button", href: "#/dispatch?" + new URLSearchParams({ by: "agent", agent: name }) }, "Dispatch a task to it"),
    draining
      ? may("RegistryService/ResumeAgent") &&
          does("Resume", {}, async () => {
            await send("POST", url + ":resume");
            return success("It gets tasks again.");
          })
      : may("RegistryService/DrainAgent") && does("Drain…", { class: "plain" }, () => drain(url, name)),
    fromURL &&
      may("RegistryService/RefreshAgentCard", name) &&
      does("Read its card again", { class: "plain" }, async () =>
        success("Its card is read.", (await send("POST", url + ":refreshCard", { body: { etag } })).warnings),
      ),
    may("RegistryService/IssueAgentToken") && does("New token…", { class: "plain" }, () => token(url, name)),
    may("RegistryService/DeleteAgent") && does("Delete…", { class: "plain danger" }, () => deletion(url, etag, name)),
  );
}

/** waiting shows the change that waits for an admin, and decides about what is shown: if there is another one by then, that is a conflict. */
function waiting({ url, etag, change }, said) {
  if (!change) return null;
  const does = (text, attributes, verb, done) =>
    button(text, attributes, async () => success(done, (await send("POST", url + verb, { body: { etag } })).warnings), said);
  const by = { agent: "the agent", refresher: "the server of its card" }[change.author] ?? `its ${change.author}`;
  return section(
    "Waits for approval",
    h("p", null, "Brought by ", by, " ", when(change.createTime), ". What was confirmed stays in force. Everything below is in force."),
    table(
      "Differences",
      ["Where", "In force", "Would become"],
      change.differences.map((d) => [code(d.field), code(d.old), code(d.new)]),
    ),
    h(
      "div",
      { class: "buttons" },
      may("RegistryService/ApproveAgentChange") && does("Approve", {}, ":approveChange", "The change is in force."),
      may("RegistryService/RejectAgentChange") && does("Refuse", { class: "plain danger" }, ":rejectChange", "The change is refused."),
    ),
  );
}

async function drain(url, name) {
  await ask(
    `Drain ${name}?`,
    "Drain",
    ({ reason }) => send("POST", url + ":drain", { body: { reason } }),
    h("p", null, "It gets no new tasks until somebody resumes it. The tasks that it has go on."),
    field("Why", h("input", { name: "reason", maxlength: "500" }), "for whoever asks later"),
  );
}

async function token(url, name) {
  let made;
  await ask(
    `A new token for ${name}?`,
    "Make it",
    async () => {
      made = await post(url + ":issueToken");
    },
    h("p", null, "The agent shows it when it calls Quorate. The token that it has now ends."),
  );
  if (made)
    tell(`The token of ${name}`, h("p", null, "It is shown this once; Quorate keeps its hash only."), h("pre", { tabindex: "0" }, made.token));
}

async function deletion(url, etag, name) {
  const done = await ask(
    `Delete ${name}?`,
    "Delete",
    () => send("DELETE", url, { query: { etag } }),
    h(
      "p",
      null,
      "The agent, its status and its token go. Tasks that name it keep their history. Only what you see is deleted: if it has changed meanwhile, nothing is.",
    ),
  );
  if (done) location.hash = "#/agents";
}

const status = (s) =>
  section(
    "Status",
    facts([
      ["Says", says(s)],
      ["Last heard of", when(s.lastHeartbeat)],
      ["Lease ends", when(s.leaseExpireTime)],
      ["Tasks", s.capacity && `${s.inFlight ?? 0} of ${s.capacity}`],
      ["Epoch", code(s.epoch)],
    ]),
  );
