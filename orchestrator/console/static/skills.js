// What agents can do, and who can do it.

import { says, state } from "./agents.js";
import { get, path } from "./api.js";
import { may } from "./caller.js";
import { badge, code, h, link, table } from "./dom.js";
import { filters, noneYet, pager, tried } from "./list.js";
import { choice, empty, field } from "./ui.js";

/** skills lists all skills, or the agents that have the one, or the tag, that is looked for. */
export async function skills({ query, signal }) {
  const { skill, tag, availableOnly, pageToken } = Object.fromEntries(query);
  const head = [
    h("h1", null, "Skills"),
    filters(
      "skills",
      field("Skill", h("input", { id: "skill", name: "skill", value: skill, placeholder: "fetch_url", spellcheck: "false" }), "its id, exactly"),
      field("Tag", h("input", { id: "tag", name: "tag", value: tag, spellcheck: "false" })),
      field(
        "Agents",
        choice({ name: "availableOnly" }, availableOnly ?? "", [
          ["", "all"],
          ["true", "available now"],
        ]),
      ),
    ),
  ];
  if (!skill && !tag) return [...head, ...(await all(query, pageToken, signal))];
  const url = skill ? path("skills", skill, "agents") : path("tags", tag, "agents");
  const [page, problem] = await tried(get(url, { tag: skill && tag, availableOnly, pageToken, pageSize: 50 }, signal));
  if (problem) return [...head, problem, pager("skills", query)];
  const rows = (page.agents ?? []).map((agent) => [
    link(agent.name, "agents", agent.name),
    state(agent.status ?? {}),
    says(agent.status ?? {}),
    code(agent.version),
  ]);
  const none = page.nextPageToken ? noneYet() : empty("No agent has it.");
  const found = rows.length > 0 ? table("Agents that have it", ["Agent", "Status", "What it says", "Version"], rows) : none;
  const dispatch = "#/dispatch?" + new URLSearchParams({ by: "skill", skill: skill ?? "" });
  const use = skill && may("TaskService/SubmitTask") && h("p", null, h("a", { href: dispatch }, "Dispatch a task for this skill"));
  return [...head, use, found, pager("skills", query, page.nextPageToken)];
}

async function all(query, pageToken, signal) {
  const [page, problem] = await tried(get("/v1/skills", { pageToken, pageSize: 50 }, signal));
  if (problem) return [problem, pager("skills", query)];
  const rows = (page.skills ?? []).map((skill) => [
    h("a", { href: "#/skills?" + new URLSearchParams({ skill: skill.id }) }, skill.id),
    skill.name,
    skill.description,
    (skill.tags ?? []).map((tag) => h("a", { class: "tag", href: "#/skills?" + new URLSearchParams({ tag }) }, tag)),
    link(skill.agentName, "agents", skill.agentName),
    badge(skill.agentStatus ?? "unknown"),
  ]);
  const list =
    rows.length > 0
      ? table("Skills of all agents", ["Skill", "Name", "What it does", "Tags", "Agent", "Status"], rows)
      : empty("No agent has a skill yet.");
  return [list, pager("skills", query, page.nextPageToken)];
}
