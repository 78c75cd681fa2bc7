// The domains that web-fetch may read.

import { get, path, post, remove } from "./api.js";
import { may } from "./caller.js";
import { ask } from "./dialog.js";
import { badge, code, h, table, when } from "./dom.js";
import { pager } from "./list.js";
import { button, changing, empty, failure, field, form, success } from "./ui.js";

const list = "/v1/allowedDomains";

/** domains shows the list, adds to it, takes off it, and says of a URL whether it may be read. */
export async function domains({ query, signal }) {
  const view = changing((page) => [rows(page, again), pager("domains", query, page.nextPageToken)]);
  async function again() {
    view.show(await get(list, { ...Object.fromEntries(query), pageSize: 100 }, signal));
  }
  try {
    await again();
  } catch (error) {
    if (error.reason === "PAGE_TOKEN_INVALID") return [h("h1", null, "Allowed domains"), failure(error), pager("domains", query)];
    if (error.reason !== "ROUTE_NOT_FOUND") throw error;
    return [
      h("h1", null, "Allowed domains"),
      empty(
        "This Quorate does not serve web-fetch. A ",
        code("webfetch"),
        " program keeps a list of its own, which it serves at its ",
        code("--api-addr"),
        ".",
      ),
    ];
  }
  return [
    h("h1", null, "Allowed domains"),
    h("p", null, "What the web-fetch agent may read. Internal addresses are never read, whatever is listed."),
    may("WebFetchService/AddAllowedDomain") &&
      form(
        { class: "filters" },
        async ({ domain }, pressed) => {
          const done = await post(list, { domain });
          await again();
          pressed.form.reset();
          return success(done.added ? `${done.domain} may be read now.` : `${done.domain} was there already.`);
        },
        field(
          "Domain",
          h("input", {
            name: "domain",
            "data-fills": "domain",
            id: "domain",
            required: true,
            maxlength: "255",
            placeholder: "*.example.com",
            spellcheck: "false",
          }),
        ),
        h("button", null, "Allow it"),
      ),
    form(
      { class: "filters" },
      async ({ url }) => {
        const said = await get(list + ":test", { url }, signal);
        return h(
          "p",
          null,
          badge(said.allowed ? "allowed" : "denied"),
          " ",
          said.allowed ? ["by ", code(said.domain || "the configuration")] : [said.error, " ", code(said.errorReason)],
        );
      },
      field(
        "May this be read?",
        h("input", { name: "url", "data-fills": "url", id: "url", required: true, placeholder: "https://www.example.com/page", spellcheck: "false" }),
      ),
      h("button", { class: "plain" }, "Test it"),
    ),
    view,
  ];
}

function rows(page, again) {
  const found = (page.allowedDomains ?? []).map((d) => [
    code(d.domain),
    d.creator || "the configuration",
    when(d.createTime),
    d.creator &&
      may("WebFetchService/RemoveAllowedDomain") &&
      button("Take it off…", { class: "plain danger" }, async () => {
        if (
          await ask(
            `Take ${d.domain} off the list?`,
            "Take it off",
            () => remove(path("allowedDomains", d.domain)),
            h("p", null, "Pages there are not read any more."),
          )
        )
          await again();
      }),
  ]);
  return found.length > 0
    ? table("Domains", ["Domain", "Listed by", "Since", "Change"], found)
    : empty("No domain is listed: web-fetch reads nothing.");
}
