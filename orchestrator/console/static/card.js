// What an agent is: its card, its metadata, and how it came here.

import { badge, code, facts, h, json, link, outside, section, table, when } from "./dom.js";

/** description shows what the card says. */
export function description(c) {
  const interfaces = c.supportedInterfaces?.length
    ? c.supportedInterfaces
    : [{ url: c.url, transport: c.preferredTransport || "JSONRPC" }, ...(c.additionalInterfaces ?? [])];
  const skills = (c.skills ?? []).map((s) => [
    h("a", { href: "#/skills?" + new URLSearchParams({ skill: s.id }) }, s.id),
    s.name,
    s.description,
    (s.tags ?? []).map((tag) => h("span", { class: "tag" }, tag)),
    (s.examples ?? []).map((e) => h("div", null, e)),
  ]);
  return [
    section(
      "Card",
      h("p", null, c.description),
      facts([
        ["Name", c.name],
        ["Provider", c.provider?.organization],
        ["Its page", c.provider?.url && outside(c.provider.url)],
        ["Documentation", c.documentationUrl && outside(c.documentationUrl)],
        ["Asks for", Object.keys(c.securitySchemes ?? {}).join(", ")],
        [
          "Can",
          Object.entries(c.capabilities ?? {})
            .filter(([, yes]) => yes === true)
            .map(([name]) => name)
            .join(", "),
        ],
        ["Reached at", interfaces.map((i) => h("div", null, code(i.protocolBinding ?? i.transport), " ", outside(i.url)))],
      ]),
      h("details", null, h("summary", null, "All of it, as JSON"), json(c)),
    ),
    section("Skills", skills.length > 0 && table("Skills", ["Skill", "Name", "What it does", "Tags", "Examples"], skills)),
  ];
}

/** contract shows what the agent takes and makes, and who has to be consulted. */
export function contract(m) {
  const put = (title, columns, rows) => section(title, rows?.length > 0 && table(title, columns, rows));
  const rules = (v) => (v ?? []).map((r) => h("div", null, code(r.type), " ", code(JSON.stringify(r.value)), " ", r.message));
  return [
    put(
      "Inputs",
      ["Name", "Type", "Needed", "What it is", "Checked"],
      m.inputSchemas?.map((i) => [code(i.name), i.semanticType, i.required ? "required" : "optional", i.description, rules(i.validationRules)]),
    ),
    put(
      "Outputs",
      ["Name", "Type", "Made", "What it is"],
      m.outputSchemas?.map((o) => [code(o.name), o.semanticType, o.guaranteed ? "always" : "sometimes", o.description]),
    ),
    put(
      "Consultation rules",
      ["Rule", "Consults", "In phase", "Binds", "When"],
      m.consultationRequirements?.map((r) => [
        code(r.id),
        link(r.targetAgent, "agents", r.targetAgent),
        r.phase,
        (r.mandatory ? "mandatory" : "recommended") + (r.minLevel ? `, level ${r.minLevel} at least` : ""),
        condition(r.condition),
      ]),
    ),
    m.atMostOnceSkills?.length > 0 &&
      section("At most once", h("p", null, "Tasks for these skills are never sent twice: ", code(m.atMostOnceSkills.join(", ")))),
  ];
}

const condition = (c) => (c ? [code(c.attribute), ` ${c.operator} `, c.value !== undefined && code(JSON.stringify(c.value))] : "always");

/** registration shows how the agent came here. */
export function registration(a) {
  const v = a.verification ?? {};
  return section(
    "Registration",
    facts([
      ["Version", code(a.version)],
      ["Card", a.cardUri && outside(a.cardUri)],
      ["Card's number", a.latestVersion > 1 && `${a.liveVersion} of ${a.latestVersion}`],
      ["Signature", v.state && [badge(v.state), v.keyId && [" with ", code(v.keyId)], v.reason && ` ${v.reason}`]],
      ["Found in", a.source?.location && [a.source.type, " ", code(a.source.location), !a.source.present && " (gone)"]],
      ["Registered", when(a.createTime)],
      ["Changed", when(a.updateTime)],
      ["ETag", code(a.etag)],
    ]),
  );
}
