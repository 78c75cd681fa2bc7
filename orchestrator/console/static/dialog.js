// Dialogs: questions before something is done, and what is shown once.

import { h } from "./dom.js";
import { form } from "./ui.js";

/** ask puts a question in a dialog and calls act(values) on yes; an error stays in the dialog. It resolves to whether it was done. */
export function ask(title, yes, act, ...children) {
  return new Promise((resolve) => {
    let done = false;
    const body = form(
      null,
      async (values) => {
        await act(values);
        done = true;
        dialog.close();
      },
      h("h2", null, title),
      ...children,
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "danger" }, yes),
        h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Leave it"),
      ),
    );
    const dialog = h(
      "dialog",
      {
        "aria-label": title,
        onclose: () => {
          dialog.remove();
          resolve(done);
        },
      },
      body,
    );
    document.body.append(dialog);
    dialog.showModal();
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
