// The list of agents.

import { get } from "./api.js";
import { may } from "./caller.js";
import { badge, code, fill, h, link, table, when } from "./dom.js";
import { filters, noneYet, pager, shortcuts, tried } from "./list.js";
import { followAgents, latest } from "./live.js";
import { choice, connection, empty, field } from "./ui.js";

const orders = [
  ["", "name"],
  ["name desc", "name, Z first"],
  ["update_time desc", "last changed first"],
  ["create_time desc", "newest first"],
];

const needed = [
  ["", "all"],
  ["status=available", "available"],
  ["status!=available", "not available"],
  ["draining=true", "draining"],
  ["pending_change=true", "with a change that waits"],
];

/** agents shows a page of agents whose status is kept up to date. */
export async function agents({ query, signal }) {
  const asked = Object.fromEntries(query);
  const load = () => get("/v1/agents", { ...asked, pageSize: 50 }, signal);
  const [page, problem] = await tried(load());
  const list = page.agents ?? [];
  const view = table("Agents", ["Name", "Status", "What it says", "Version", "Skills", "Rules", "Changed"], list.map(cells));
  const rows = new Map(list.map((agent, i) => [agent.name, view.tBodies[0].rows[i]]));
  const lost = connection();
  const news = h("p", { class: "news", role: "status" });
  const current = latest(load, (now) => now.agents?.forEach((agent) => refresh(rows.get(agent.name), agent)));
  followAgents(
    signal,
    lost.told,
    (event) => update(rows, news, event),
    () => current().catch(() => {}),
  ); // the next bookmark is soon
  return [
    h(
      "div",
      { class: "title" },
      h("h1", null, "Agents"),
      may("RegistryService/RegisterAgent") && h("a", { class: "button", href: "#/register" }, "Register an agent"),
    ),
    filters(
      "agents",
      field(
        "Filter",
        h("input", {
          id: "filter",
          name: "filter",
          value: asked.filter,
          placeholder: 'status=available AND skills:"fetch_url"',
          spellcheck: "false",
        }),
      ),
      field("Order", choice({ name: "orderBy" }, asked.orderBy ?? "", orders)),
    ),
    shortcuts("agents", asked.filter, needed),
    lost,
    news,
    problem ?? (list.length > 0 ? view : nothing(asked, page.nextPageToken)),
    pager("agents", query, page.nextPageToken),
  ];
}

function nothing(asked, next) {
  if (next) return noneYet();
  if (asked.filter)
    return empty(
      "No agent passes this filter. It compares name, description, version, status, skills, tags, input_types, output_types, source.type, source.present, verification.state, pending_change, draining, create_time, update_time and more.",
    );
  if (asked.pageToken) return empty("There are no more agents.");
  if (!may("RegistryService/RegisterAgent")) return empty("There is no agent yet.");
  return empty("There is no agent yet. ", h("a", { href: "#/register" }, "Register one"), " by the URL of its card.");
}

function cells(agent) {
  const { status = {}, metadata = {} } = agent;
  return [
    link(agent.name, "agents", agent.name),
    state(status),
    says(status),
    [code(agent.version), agent.pendingChange && " (a change waits)"],
    String(agent.card?.skills?.length ?? 0),
    String(metadata.consultationRequirements?.length ?? 0),
    when(agent.updateTime),
  ];
}

/** state is an agent's status in one sign. */
export const state = (status) => badge(status.draining ? "draining" : (status.status ?? "unknown"));

/** says is what an agent says of itself: what is wrong, what it works on, how much room it has. */
export function says(status) {
  if (status.errorMessage) return status.errorMessage;
  if (status.currentTaskId) return ["works on ", code(status.currentTaskId)];
  return status.capacity ? `${status.inFlight ?? 0} of ${status.capacity} tasks` : "";
}

/** update changes the row of the agent that an event is about, and says so when the list is another one now. One that comes back has its row again. */
function update(rows, news, event) {
  const row = rows.get(event.agentName);
  row?.classList.toggle("gone", event.type === "deleted");
  refresh(row, event.agent);
  if (event.type === "created" && row) news.replaceChildren();
  if ((event.type === "created" && !row) || event.type === "deleted") {
    const again = h(
      "button",
      { type: "button", class: "plain", onclick: () => dispatchEvent(new Event("hashchange")) },
      "Show the list as it is now",
    );
    news.replaceChildren(`${event.agentName} is ${event.type === "created" ? "new" : "deleted"}. `, again);
  }
}

function refresh(row, agent) {
  if (row && agent) cells(agent).forEach((cell, i) => i > 0 && fill(row.cells[i], cell));
}
