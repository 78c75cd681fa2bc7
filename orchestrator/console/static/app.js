// The frame: signing in, and which view is shown. A place in the console is the fragment of the address, which no server sees.

import { agent } from "./agent.js";
import { agents } from "./agents.js";
import { whoami } from "./caller.js";
import { dispatch } from "./dispatch.js";
import { h } from "./dom.js";
import { domains } from "./domains.js";
import { health } from "./health.js";
import { refused } from "./live.js";
import { register } from "./register.js";
import { askOtherTabs, forgetKey, keepKey, key, onSignOut, signOut } from "./session.js";
import { skills } from "./skills.js";
import { task } from "./task.js";
import { tasks } from "./tasks.js";
import { button, failure, field, form } from "./ui.js";

// A view is called with the id in the address, its query, and a signal that ends when the user goes elsewhere. It returns the elements to show.
const views = new Map(Object.entries({ agents, register, skills, tasks, dispatch, domains, health }));
const single = new Map(Object.entries({ agents: agent, tasks: task }));

const header = document.querySelector("header");
const main = document.querySelector("main");
const left = new Map(); // where the user was in a view when they went elsewhere, by its entry in the history
let entry; // the one that is shown
let leaving = new AbortController();
let ended; // the error that ended the session, until there is another
let unsent; // what was typed into the view when the session ended

async function open() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  turnPage();
  document.querySelector("dialog")?.close();
  if (!key()) return show(signIn(ended));
  ended = undefined;
  const [place, search] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, id] = place.split("/").map(decode);
  const view = (id ? single.get(name) : views.get(name || "agents")) ?? nowhere;
  main.setAttribute("aria-busy", "true");
  let content;
  try {
    const caller = await whoami();
    if (signal.aborted) return;
    introduce(caller);
    content = await view({ id, query: new URLSearchParams(search), signal });
  } catch (error) {
    content = [h("h1", null, id || "Not now"), failure(error), !refused(error) && button("Try again", { id: "again" }, open)];
  }
  if (signal.aborted) return;
  show(content, name || "agents");
  takeBack();
}

/** turnPage keeps where the user is, for when they come back by the browser's button: the browser looks before there is something to scroll. */
function turnPage() {
  if (!main.hasAttribute("aria-busy")) left.set(entry, { y: scrollY, href: document.activeElement?.getAttribute("href") });
  entry = history.state?.entry ?? Date.now();
  history.replaceState({ entry }, "");
}

/** show puts a view into the page and the focus on its heading, or where it was: on the same control, or the link by which the user had left. */
function show(content, name) {
  const focused = document.activeElement?.id;
  const { y = 0, href } = left.get(entry) ?? {};
  header.hidden = !key();
  for (const a of header.querySelectorAll("nav a")) {
    if (a.hash === `#/${name}`) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  main.replaceChildren(...[content].flat(Infinity).filter(Boolean));
  main.removeAttribute("aria-busy");
  const heading = main.querySelector("h1");
  document.title = `${heading.textContent} · Quorate`;
  heading.tabIndex = -1;
  const find = (name, value) => value && main.querySelector(`[${name}="${CSS.escape(value)}"]`);
  (find("id", focused) || find("href", href) || main.querySelector("[autofocus]") || heading).focus();
  scrollTo(0, y);
}

/** typed is what the fields of the view hold, where it is, and for whom. */
function typed() {
  const fields = [...main.querySelectorAll("form [name]")].map(({ name, value }) => [name, value]);
  return { hash: location.hash, who: document.querySelector("#who").textContent, fields };
}

/** takeBack puts what was typed into its fields again, for who typed it: tokens may last for minutes only. */
function takeBack() {
  const { hash, who, fields } = typed();
  if (unsent?.hash === hash && unsent.who === who)
    for (const [name, value] of unsent.fields) {
      const field = main.querySelector(`form [name="${CSS.escape(name)}"]`);
      if (!field) continue;
      field.value = value;
      field.dispatchEvent(new Event("change"));
    }
  unsent = undefined;
}

/** introduce says in the header as whom one is in. */
function introduce({ name, tenant, roles, credential }) {
  const who = document.querySelector("#who");
  who.textContent = [name, roles.join(", "), tenant !== "default" && tenant].filter(Boolean).join(" · ");
  who.title = `Signed in as ${name}, ${roles.join(", ")}, of the tenant ${tenant}, by ${credential}`;
}

const nowhere = () => [h("h1", null, "Nothing is here"), h("p", null, h("a", { href: "#/agents" }, "To the agents"))];

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function signIn(error) {
  const input = h("input", {
    id: "key",
    name: "key",
    type: "password",
    required: true,
    autofocus: true,
    autocomplete: "current-password",
    spellcheck: "false",
  });
  return h(
    "div",
    { class: "sign-in" },
    h("h1", null, "Sign in to Quorate"),
    error && failure(error),
    form(
      null,
      async (values) => {
        input.focus();
        input.select(); // if the key is refused, what is typed or pasted next takes its place: nobody sees what is there
        if (!/^[\x21-\x7e]+$/.test(values.key.trim())) throw new Error("That is no key: a key has letters, digits and signs, and no spaces.");
        keepKey(values.key.trim());
        await whoami(true).catch((error) => {
          forgetKey();
          throw error;
        });
        open();
      },
      field("API key or token", input),
      h("button", null, "Sign in"),
    ),
    h(
      "p",
      null,
      "With ",
      h("code", null, "quorate dev"),
      " it is what is in the token file whose name it prints; with ",
      h("code", null, "quorate serve"),
      " an operator makes one with ",
      h("code", null, "quorate keys new"),
      ".",
    ),
    h("p", null, "It stays in this browser's tabs of the console until you sign out or close them."),
  );
}

document.addEventListener("signed-out", (event) => {
  if (main.querySelector(".sign-in")) return; // the form says so itself
  unsent = typed();
  forgetKey();
  ended = event.detail;
  open();
});
document.querySelector("#sign-out").addEventListener("click", () => {
  signOut();
  open();
});
onSignOut(open);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.querySelector("h1").focus();
});
addEventListener("hashchange", open);
history.scrollRestoration = "manual";
if (!key()) await askOtherTabs();
open();
