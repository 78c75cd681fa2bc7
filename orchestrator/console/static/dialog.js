// Dialogs: questions before something is done, and what is shown once.

import { h } from "./dom.js";
import { form } from "./ui.js";

/**
 * ask puts a question in a dialog and calls act(values) on yes; an error stays in the dialog. It resolves to whether it was done.
 * To close the dialog meanwhile does not call it back: what comes of it, an error too, is told all the same.
 */
export function ask(title, yes, act, ...children) {
  return new Promise((resolve, reject) => {
    let going = Promise.resolve(false); // to whether it is done
    const leave = h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Leave it");
    const body = form(
      null,
      async (values) => {
        going = act(values).then(() => true);
        await going.catch((error) => {
          if (dialog.open) going = Promise.resolve(false);
          throw error;
        });
        dialog.close();
      },
      h("h2", null, title),
      ...children,
      h("div", { class: "buttons" }, h("button", { class: "danger" }, yes), leave),
    );
    const dialog = h(
      "dialog",
      {
        "aria-label": title,
        onclose: () => {
          dialog.remove();
          going.then(resolve, reject);
        },
      },
      body,
    );
    document.body.append(dialog);
    dialog.showModal();
    if (!body.querySelector("input")) leave.focus(); // a key that is held down a little too long does not say yes
  });
}

/** tell shows something in a dialog until the user closes it. */
export function tell(title, ...children) {
  const dialog = h(
    "dialog",
    { "aria-label": title, onclose: () => dialog.remove() },
    h("h2", null, title),
    ...children,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => dialog.close() }, "Done")),
  );
  document.body.append(dialog);
  dialog.showModal();
}
