// What lists have: a filter, pages, and a request that may be wrong.

import { h } from "./dom.js";
import { empty, failure, form } from "./ui.js";

/** pager leads to the first and the next page; the browser's back button leads to the one before. */
export function pager(place, query, next) {
  const to = (text, token) => {
    const values = new URLSearchParams(query);
    values.delete("pageToken");
    if (token) values.set("pageToken", token);
    return h("a", { href: `#/${place}?${values}`, rel: token && "next" }, text);
  };
  const links = [query.get("pageToken") && to("First page"), next && to("Next page", next)].filter(Boolean);
  return links.length > 0 && h("nav", { class: "pager", "aria-label": "Pages" }, links);
}

/** noneYet says of a page of agents that it has none, though there are more pages: the server looks at so many agents for each. */
export const noneYet = () => empty("None among the agents that were looked at for this page; others are on the next.");

/** filters is a form whose values become the query of a list's address. */
export function filters(place, ...children) {
  return form(
    { class: "filters", role: "search" },
    (values) => {
      const hash = `#/${place}?${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;
      if (hash === location.hash)
        dispatchEvent(new Event("hashchange")); // the same list as it is now
      else location.hash = hash;
    },
    ...children,
    h("button", null, "Show"),
  );
}

/** shortcuts are links to a list by the filters that are needed most, of [filter, text] pairs; the one that is shown is marked. */
export const shortcuts = (place, shown, pairs) =>
  h(
    "p",
    { class: "shortcuts" },
    pairs.map(([filter, text]) =>
      h("a", { href: `#/${place}` + (filter && "?" + new URLSearchParams({ filter })), "aria-current": (shown ?? "") === filter && "true" }, text),
    ),
  );

/** tried resolves to [answer], or to [{}, what to show] when the request was wrong: what it was made with is shown again, to be mended. */
export async function tried(request) {
  try {
    return [await request];
  } catch (error) {
    if (error.status !== 400) throw error;
    return [{}, failure(error)];
  }
}
