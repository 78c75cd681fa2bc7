// Registering an agent.

import { send } from "./api.js";
import { may } from "./caller.js";
import { code, facts, h, json, link } from "./dom.js";
import { empty, field, form, success, wrong } from "./ui.js";

/** register takes the URL of a card, or the card itself, and checks or registers it. */
export async function register() {
  if (!may("RegistryService/RegisterAgent")) return [h("h1", null, "Register an agent"), empty("Your role may not do that.")];
  return [
    h("h1", null, "Register an agent"),
    form(
      null,
      submit,
      field(
        "URL of its card",
        h("input", {
          name: "cardUri",
          "data-fills": "card_uri card",
          type: "url",
          maxlength: "2048",
          placeholder: "https://agent.example.com",
          autofocus: true,
          id: "card-uri",
        }),
        "An address without a path means /.well-known/agent-card.json there.",
      ),
      field(
        "or the card",
        h("textarea", { name: "cardJson", "data-fills": "card_json card", rows: "8", spellcheck: "false" }),
        "An A2A agent card, 1.0 or 0.3, as JSON; its bytes are kept as they are.",
      ),
      field(
        "Name",
        h("input", { name: "name", "data-fills": "name", maxlength: "64", spellcheck: "false" }),
        "What the agent is called here, without spaces; empty takes the card's name.",
      ),
      field(
        "Inputs, outputs and rules",
        h("textarea", { name: "metadata", "data-fills": "metadata", rows: "4", spellcheck: "false" }),
        "AgentMetadata as JSON; empty takes what the card itself declares.",
      ),
      h("div", { class: "buttons" }, h("button", { value: "register" }, "Register"), h("button", { class: "plain", value: "check" }, "Only check")),
    ),
  ];
}

async function submit({ cardUri, cardJson, name, metadata }, { value }) {
  if (Boolean(cardUri) === Boolean(cardJson.trim())) throw wrong("card", "Give either the URL of the card or the card.");
  const body = {
    ...(cardUri ? { cardUri } : { cardJson }),
    name,
    metadata: metadata.trim() ? parse(metadata) : undefined,
    validateOnly: value === "check",
  };
  const { agent, warnings } = await send("POST", "/v1/agents:register", { body });
  if (value !== "check") return success(["Registered: ", link(agent.name, "agents", agent.name)], warnings);
  return [
    success(`This is what would be registered. Nothing is written.`, warnings),
    facts([
      ["Name", agent.name],
      ["Version", code(agent.version)],
      ["Skills", (agent.card.skills ?? []).map((s) => s.id).join(", ")],
      ["Metadata", json(agent.metadata ?? {})],
    ]),
  ];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong("metadata", `The inputs, outputs and rules are no JSON: ${error.message}`);
  }
}
