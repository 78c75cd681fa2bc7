// What agents and callers say: A2A parts and artifacts, as text and nothing else.

import { code, h, json, outside, section } from "./dom.js";
import { ended } from "./tasks.js";

/** parts shows the parts of a message or an artifact. */
export const parts = (list) =>
  (list ?? []).map((part) => h("div", { class: "said" }, part.filename && h("p", null, code(part.filename)), content(part)));

/** joined makes one part of the texts that follow each other: an agent that streams what its model says makes a part of every few letters of it. */
function joined(list) {
  const all = [];
  for (const part of list ?? []) {
    const last = all.at(-1);
    if (isText(part) && last && isText(last)) last.text += part.text;
    else all.push({ ...part });
  }
  return all;
}

const isText = (part) => part.text !== undefined && !part.filename;

function content(part) {
  if (part.text !== undefined) return h("pre", { tabindex: "0" }, part.text);
  if (part.data !== undefined) return json(part.data);
  if (part.url !== undefined) return h("p", null, outside(part.url));
  return h(
    "p",
    null,
    `${bytes(part.raw ?? "")} bytes ${part.mediaType ?? ""} `,
    h("button", { type: "button", class: "plain", onclick: () => save(part) }, "Save"),
  );
}

/** save has the browser save a file. It is given no type by which the browser would open it instead. */
function save({ raw, filename }) {
  const url = URL.createObjectURL(new Blob([Uint8Array.from(atob(raw ?? ""), (c) => c.charCodeAt(0))], { type: "application/octet-stream" }));
  h("a", { href: url, download: filename ?? "file" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // it may still be read
}

const bytes = (base64) => Math.floor((base64.replace(/=+$/, "").length * 3) / 4);

/** artifacts shows what a task made. */
export const artifacts = (t) =>
  section(
    "Artifacts",
    (t.artifacts ?? []).map((a) =>
      h("article", null, h("h3", null, a.name || a.artifactId), a.description && h("p", null, a.description), parts(joined(a.parts))),
    ),
    (t.artifacts ?? []).length === 0 &&
      h("p", { class: "empty" }, t.withheldArtifacts ? `They are held back${ended(t) ? "" : " until the gate opens"}.` : "There are none."),
  );
