// One agent: what it is, what it needs, whether it is up, and what an admin does with it.

import { get, path, post, send } from "./api.js";
import { state, says } from "./agents.js";
import { badge, code, facts, h, json, link, outside, section, table, when } from "./dom.js";
import { every, followAgents, latest } from "./live.js";
import { ask, button, changing, connection, field, success, tell } from "./ui.js";

/** agent shows one agent and keeps it up to date. */
export async function agent({ id, signal }) {
  const url = path("agents", id);
  const parts = [changing(heading), changing(actions), changing(status), changing(description), changing(contract), changing(registration)];
  const show = (a) => {
    const { status: live = {}, ...registered } = a;
    const { etag, name } = a;
    const values = [{ name, live }, { url, etag, name, draining: live.draining, fromURL: Boolean(a.cardUri) }, live, a.card, a.metadata ?? {}, registered];
    parts.forEach((part, i) => part.show(values[i]));
  };
  const again = latest(() => get(url, {}, signal), show);
  await again();
  const lost = connection();
  const refresh = () => again().catch(lost.told);
  followAgents(signal, lost.told, (event) => {
    if (event.agentName === id) event.type === "deleted" ? lost.replaceChildren("This agent is deleted.") : refresh();
  }, refresh);
  every(10_000, signal, again); // heartbeats are no changes
  return [parts[0], lost, ...parts.slice(1)];
}

const heading = ({ name, live }) => h("div", { class: "title" }, h("h1", null, name), state(live));

function actions({ url, etag, name, draining, fromURL }) {
  return h("div", { class: "buttons" },
    h("a", { class: "button", href: "#/dispatch?" + new URLSearchParams({ by: "agent", agent: name }) }, "Dispatch a task to it"),
    draining
      ? button("Resume", {}, async () => { await send("POST", url + ":resume"); return success("It gets tasks again."); })
      : button("Drain…", { class: "plain" }, () => drain(url, name)),
    fromURL && button("Read its card again", { class: "plain" }, async () => success("Its card is read.", (await send("POST", url + ":refreshCard", { body: { etag } })).warnings)),
    button("New token…", { class: "plain" }, () => token(url, name)),
    button("Delete…", { class: "plain danger" }, () => deletion(url, etag, name)));
}

async function drain(url, name) {
  await ask(`Drain ${name}?`, "Drain", ({ reason }) => send("POST", url + ":drain", { body: { reason } }),
    h("p", null, "It gets no new tasks until somebody resumes it. The tasks that it has go on."),
    field("Why", h("input", { name: "reason", maxlength: "500" }), "for whoever asks later"));
}

async function token(url, name) {
  let made;
  await ask(`A new token for ${name}?`, "Make it", async () => { made = await post(url + ":issueToken"); },
    h("p", null, "The agent shows it when it calls Quorate. The token that it has now ends."));
  if (made) tell(`The token of ${name}`, h("p", null, "It is shown this once; Quorate keeps its hash only."), h("pre", { tabindex: "0" }, made.token));
}

async function deletion(url, etag, name) {
  const done = await ask(`Delete ${name}?`, "Delete", () => send("DELETE", url, { query: { etag } }),
    h("p", null, "The agent, its status and its token go. Tasks that name it keep their history. Only what you see is deleted: if it has changed meanwhile, nothing is."));
  if (done) location.hash = "#/agents";
}

const status = (s) => section("Status", facts([
  ["Says", says(s)], ["Last heard of", when(s.lastHeartbeat)], ["Lease ends", when(s.leaseExpireTime)],
  ["Tasks", s.capacity && `${s.inFlight ?? 0} of ${s.capacity}`], ["Epoch", code(s.epoch)],
]));

function description(c) {
  const interfaces = c.supportedInterfaces ?? [{ url: c.url, transport: c.preferredTransport }, ...(c.additionalInterfaces ?? [])];
  const skills = (c.skills ?? []).map((s) => [
    h("a", { href: "#/skills?" + new URLSearchParams({ skill: s.id }) }, s.id), s.name, s.description,
    (s.tags ?? []).map((tag) => h("span", { class: "tag" }, tag)), (s.examples ?? []).map((e) => h("div", null, e)),
  ]);
  return [
    section("Card", h("p", null, c.description), facts([
      ["Provider", c.provider?.organization], ["Its page", c.provider?.url && outside(c.provider.url)],
      ["Documentation", c.documentationUrl && outside(c.documentationUrl)], ["Asks for", Object.keys(c.securitySchemes ?? {}).join(", ")],
      ["Can", Object.entries(c.capabilities ?? {}).filter(([, yes]) => yes === true).map(([name]) => name).join(", ")],
      ["Reached at", interfaces.map((i) => h("div", null, code(i.protocolBinding ?? i.transport), " ", outside(i.url)))],
    ]), h("details", null, h("summary", null, "All of it, as JSON"), json(c))),
    section("Skills", skills.length > 0 && table("Skills", ["Skill", "Name", "What it does", "Tags", "Examples"], skills)),
  ];
}

function contract(m) {
  const put = (title, columns, rows) => section(title, rows?.length > 0 && table(title, columns, rows));
  const rules = (v) => (v ?? []).map((r) => h("div", null, code(r.type), " ", code(JSON.stringify(r.value)), " ", r.message));
  return [
    put("Inputs", ["Name", "Type", "Needed", "What it is", "Checked"], m.inputSchemas?.map((i) => [code(i.name), i.semanticType, i.required ? "required" : "optional", i.description, rules(i.validationRules)])),
    put("Outputs", ["Name", "Type", "Made", "What it is"], m.outputSchemas?.map((o) => [code(o.name), o.semanticType, o.guaranteed ? "always" : "sometimes", o.description])),
    put("Consultation rules", ["Rule", "Consults", "In phase", "Binds", "When"], m.consultationRequirements?.map((r) => [
      code(r.id), link(r.targetAgent, "agents", r.targetAgent), r.phase, r.mandatory ? "mandatory" : "recommended", condition(r.condition)])),
    m.atMostOnceSkills?.length > 0 && section("At most once", h("p", null, "Tasks for these skills are never sent twice: ", code(m.atMostOnceSkills.join(", ")))),
  ];
}

const condition = (c) => (c ? [code(c.attribute), ` ${c.operator} `, c.value !== undefined && code(JSON.stringify(c.value))] : "always");

function registration(a) {
  const v = a.verification ?? {};
  return section("Registration", facts([
    ["Version", code(a.version)], ["Card", a.cardUri && outside(a.cardUri)], ["Card's number", a.latestVersion > 1 && `${a.liveVersion} of ${a.latestVersion}`],
    ["Signature", v.state && [badge(v.state), v.keyId && [" with ", code(v.keyId)], v.reason && ` ${v.reason}`]],
    ["Found in", a.source?.location && [a.source.type, " ", code(a.source.location), !a.source.present && " (gone)"]],
    ["Registered", when(a.createTime)], ["Changed", when(a.updateTime)], ["ETag", code(a.etag)],
  ]));
}
