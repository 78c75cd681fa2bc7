// Whether Quorate is ready.

import { patient, read } from "./api.js";
import { badge, code, h, table, when } from "./dom.js";
import { every } from "./live.js";
import { changing, failure } from "./ui.js";

/** health asks /readyz every few seconds, as a load balancer does. */
export async function health({ signal }) {
  const view = changing(({ status, checks = {}, error }) => [
    error ? failure(new Error(error)) : h("p", null, badge(status)),
    Object.keys(checks).length > 0 &&
      table(
        "Checks",
        ["Check", "Result"],
        Object.entries(checks).map(([name, result]) => [name, result === "ok" ? badge(result) : [badge("failed"), " ", result]]),
      ),
  ]);
  const asked = h("p", { class: "quiet" });
  const again = async () => {
    const wait = patient(signal);
    try {
      view.show(await read(await fetch("/readyz", { signal: wait.signal, cache: "no-store" }))); // an answer of 503 says what is wrong
    } catch (error) {
      if (!signal.aborted) view.show({ error: error instanceof TypeError ? `The server cannot be reached: ${error.message}.` : error.message });
    }
    wait.done();
    asked.replaceChildren("asked ", when(new Date().toISOString()));
  };
  await again();
  every(5000, signal, () => {}, again);
  return [
    h("h1", null, "Health"),
    view,
    asked,
    h(
      "p",
      null,
      "Metrics are at ",
      code("/metrics"),
      ", whether the process lives at ",
      code("/healthz"),
      "; the API is described at ",
      h("a", { href: "/openapi.json" }, "/openapi.json"),
      ".",
    ),
  ];
}
