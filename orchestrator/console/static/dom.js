// Elements. Whatever comes from outside becomes a text node or an attribute that cannot do anything; nothing is ever parsed as HTML.

const much = 50_000; // characters of a text that are in sight: to lay out a line of a million takes a browser a minute, in which it does nothing else

// Characters by which people see another text than programs read: they reverse the writing direction, or nobody sees them. Cards that have them are refused.
const concealing = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

const escaped = (character) => {
  const code = character.codePointAt(0).toString(16).padStart(4, "0");
  return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
};

/** inSight escapes what conceals, and folds what a text has beyond that much: what is folded is not laid out. */
function inSight(child) {
  if (typeof child !== "string") return [child];
  const text = child.replace(concealing, escaped);
  if (text.length <= much) return [text];
  return [text.slice(0, much), h("details", null, h("summary", null, `${text.length - much} more characters`), text.slice(much))];
}

/** h makes an element with attributes, listeners (onclick and so on) and children: elements, texts, or lists of them. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const filled = children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== "" && c !== false);
  element.append(...filled.flatMap(inSight));
  return element;
}

/** link leads to a place in the console: link("text", "agents", name). */
export const link = (text, ...segments) => h("a", { href: "#/" + segments.map(encodeURIComponent).join("/") }, text);

/** outside shows a URL from outside: a link if it is one of the web, and a text otherwise. */
export function outside(url) {
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol)) return h("code", null, url);
  return h("a", { href: url, rel: "noopener noreferrer nofollow", target: "_blank" }, url);
}

/** code shows an id or a word of the API's. */
export const code = (text) => text && h("code", null, text);

/** json shows any value. */
export const json = (value) => h("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));

const relative = new Intl.RelativeTimeFormat("en", { style: "narrow" }); // by numbers: what is 47 hours old need not be of yesterday

const units = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

function fromNow(time) {
  const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (!unit) return "now";
  return relative.format(Math.trunc(seconds / size), unit);
}

/** when tells a time as people do, with the exact one behind it. */
export const when = (time) => time && h("time", { datetime: time, title: time }, fromNow(time));

setInterval(() => document.querySelectorAll("time").forEach((t) => (t.textContent = fromNow(t.dateTime))), 5000);

// What is good, under way, of no importance now, to be looked at, and bad.
const kinds = [
  { kind: "good", mark: "●", words: ["available", "approved", "completed", "ready", "ok", "allowed", "verified"] },
  { kind: "busy", mark: "◐", words: ["busy", "working", "submitted", "pending"] },
  { kind: "warn", mark: "▲", words: ["input required", "auth required", "deferred"] },
  {
    kind: "bad",
    mark: "✕",
    words: ["error", "failed", "rejected", "blocked", "missing", "stale", "unauthenticated", "denied", "not ready", "invalid"],
  },
  { kind: "weak", mark: "○", words: [] }, // and all others
];

/** badge shows a state by word and sign, never by colour alone. */
export function badge(word) {
  const { kind, mark } = kinds.find(({ words }) => words.includes(word)) ?? kinds.at(-1);
  return h("span", { class: `badge ${kind}` }, h("span", { "aria-hidden": "true" }, mark), " ", word);
}

/** facts lists names and values; what is empty is left out. */
export function facts(pairs) {
  const filled = pairs.filter(([, value]) => value && value.length !== 0);
  return h(
    "dl",
    null,
    filled.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

// No word of 26 letters, as ids have, is broken in a cell; longer ones would make the table wider than the page.
const long = (node) => (node.data === undefined ? [...node.childNodes].some(long) : /\S{27}/.test(node.data));

/** fill puts what it shows into a cell. */
export function fill(cell, content) {
  cell.replaceChildren(...[content].flat(Infinity).filter(Boolean).flatMap(inSight));
  cell.classList.toggle("long", long(cell));
  return cell;
}

/** table has a row of cells for each item; on a narrow screen each row becomes a list, with the column's name before each value. */
export function table(caption, columns, rows) {
  const cells = (row) => row.map((content, i) => fill(h("td", { role: "cell", "data-label": columns[i] }), content));
  return h(
    "table",
    { role: "table" },
    h("caption", null, caption),
    h(
      "thead",
      { role: "rowgroup" },
      h(
        "tr",
        { role: "row" },
        columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      { role: "rowgroup" },
      rows.map((row) => h("tr", { role: "row" }, cells(row))),
    ),
  );
}

/** section has a heading and is left out when it has nothing to show. */
export const section = (title, ...children) => children.some(Boolean) && h("section", null, h("h2", null, title), ...children);
