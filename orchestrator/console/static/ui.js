// What several views are made of: errors, forms, buttons that do something, parts that change.

import { code, h } from "./dom.js";

/** failure shows an error with its reason, and names the fields that are wrong, with what is wrong unless the message says so already. */
export function failure(error) {
  const violations = (error.violations ?? []).map((v) => h("li", null, code(v.field), !error.message.includes(v.description) && " " + v.description));
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    h("p", null, error.message),
    violations.length > 0 && h("ul", null, violations),
    error.reason && h("p", null, "Reason: ", code(error.reason)),
  );
}

/** wrong is an error about a field of a request that is not sent. */
export const wrong = (field, text) => Object.assign(new Error(text), { violations: [{ field, description: text }] });

/** success tells of something that was done, and of warnings about it. */
export function success(text, warnings = []) {
  const list = warnings.map((w) => h("li", null, code(w.code), " ", w.message));
  return h("div", { class: "notice good", role: "status" }, h("p", null, text), list.length > 0 && h("ul", null, list));
}

/** empty says that there is nothing, and what to do about it. */
export const empty = (...children) => h("p", { class: "empty" }, ...children);

/** field is a control with its label. The control's data-fills names the fields of the request that it fills; see mark. */
export const field = (label, control, hint) => h("label", null, h("span", null, label), control, hint && h("small", null, hint));

/** choice is a select of [value, text] pairs. */
export const choice = (attributes, chosen, pairs) =>
  h(
    "select",
    attributes,
    pairs.map(([value, text]) => h("option", { value, selected: value === chosen }, text ?? value)),
  );

/** form calls submit(values, button) and shows below itself what that returns, or its error. It is busy meanwhile. */
export function form(attributes, submit, ...children) {
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const element = h("form", { autocomplete: "off", ...attributes }, ...children, answer);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(element));
    await busy(element, answer, () => submit(values, event.submitter));
  });
  return element;
}

/** button does something; what comes of it is shown behind it, or in an element that lasts longer. */
export function button(text, attributes, act, elsewhere) {
  const answer = elsewhere ?? h("div", { class: "answer", "aria-live": "polite" });
  const element = h(
    "span",
    { class: "action" },
    h("button", { type: "button", ...attributes, onclick: () => busy(element, answer, act) }, text),
    !elsewhere && answer,
  );
  return element;
}

/**
 * busy lets nobody press a button of an element until act has ended. The buttons are not disabled, by which the one that was pressed would lose the focus.
 * What comes of it is scrolled into sight: a button that is pressed may be at the lower edge of the window.
 */
async function busy(element, answer, act) {
  const buttons = element.querySelectorAll("button");
  if (buttons[0].ariaDisabled) return;
  buttons.forEach((b) => (b.ariaDisabled = "true"));
  answer.replaceChildren();
  mark(element, []);
  try {
    answer.replaceChildren(...[await act()].flat(Infinity).filter(Boolean));
  } catch (error) {
    if (error.name !== "AbortError") answer.replaceChildren(failure(error));
    mark(element, error.violations ?? []);
  } finally {
    buttons.forEach((b) => (b.ariaDisabled = null));
  }
  if (answer.hasChildNodes()) answer.scrollIntoView({ block: "nearest" });
}

/** mark says beside each control of an element what is wrong with it, and no more what was wrong before. */
function mark(element, violations) {
  element.querySelectorAll("small.wrong").forEach((said) => said.remove());
  const controls = [...element.querySelectorAll("[data-fills]")];
  controls.forEach((c) => (c.ariaInvalid = null));
  for (const { field, description } of violations) {
    const fitting = controls.filter((c) =>
      c.dataset.fills.split(" ").some((f) => field === f || field.startsWith(f + ".") || field.startsWith(f + "[")),
    );
    const filled = fitting.filter((c) => c.value); // a card comes from its URL or from its text
    for (const control of filled.length > 0 ? filled : fitting) {
      control.ariaInvalid = "true";
      const whole = control.dataset.fills.split(" ").includes(field);
      control.closest("label").append(h("small", { class: "wrong" }, !whole && [code(field), " "], description));
    }
  }
}

/** connection is a line that says when what is shown may be old; its function told takes the error, or none when all is well again. */
export function connection() {
  const line = h("p", { class: "news", role: "status" });
  const text = (error) => (error.status >= 400 ? `This may be old: ${error.message}.` : "The connection is lost, so this may be old. Trying again…");
  return Object.assign(line, { told: (error) => line.replaceChildren(error ? text(error) : "") });
}

/**
 * changing keeps what make(value) shows, and makes it anew only when the value is another one. Then the focus stays on what had it, and in sight what
 * was: a list in which much changes can be read, and gone through by keyboard.
 */
export function changing(make) {
  const place = h("div", { class: "part" });
  let before;
  return Object.assign(place, {
    show(value) {
      const now = JSON.stringify(value);
      if (now === before) return;
      before = now;
      const old = controls(place);
      const focused = place.contains(document.activeElement) && document.activeElement;
      const seen = top(place) < 0 && old.find((e) => top(e) >= 0);
      const height = seen && top(seen);
      place.replaceChildren(...[make(value)].flat(Infinity).filter(Boolean));
      const found = controls(place);
      const again = (e) => found.find((other) => same(e, other));
      if (focused)
        (again(focused) ?? found[Math.min(old.indexOf(focused), found.length - 1)] ?? document.querySelector("h1")).focus({ preventScroll: true });
      if (seen && again(seen)) scrollBy(0, top(again(seen)) - height);
    },
  });
}

const controls = (place) => [...place.querySelectorAll("a, button, input, textarea, summary, pre")];
const top = (element) => element.getBoundingClientRect().top;

/** same reports whether two controls say the same in the same row: many rows link to one agent. */
function same(a, b) {
  const row = (e) => e.closest("tr")?.cells[0].textContent;
  return a.tagName === b.tagName && a.textContent === b.textContent && row(a) === row(b);
}
