// Streams that go on: after a lost connection they begin again behind the last event.

import { ApiError, events } from "./api.js";

const longest = 30_000; // milliseconds between two attempts

/** pause waits, or less when signal ends it. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

/** every calls act now and then while the page is seen, until signal ends it. */
export async function every(milliseconds, signal, act) {
  while (await pause(milliseconds, signal), !signal.aborted) {
    if (!document.hidden) await act().catch(() => {}); // what is shown stays, and the next time is soon
  }
}

let revision; // of the registry that this page has heard of

/** followAgents calls each for every change of an agent from now on, and told(error) when the stream breaks and, without one, when it is back. */
export async function followAgents(signal, each, told) {
  for (let wait = 1000; !signal.aborted; wait = Math.min(2 * wait, longest)) {
    try {
      for await (const event of events("/v1/agents:watch", { revision }, signal)) {
        revision = Number(event.sequence ?? 0) || revision;
        if (event.type === "bookmark") told();
        else if (event.type !== "mapping") each(event);
        wait = 1000;
      }
    } catch (error) {
      if (signal.aborted || refused(error)) return;
      if (error.reason === "REVISION_GONE") revision = undefined;
      told(error);
    }
    await pause(wait, signal);
  }
}

/** followTask calls each for every event of a task, from its first to its end, and told as followAgents does. */
export async function followTask(url, signal, each, told) {
  let after = 0;
  for (let wait = 1000; !signal.aborted; wait = Math.min(2 * wait, longest)) {
    try {
      for await (const message of events(url + ":watch", { afterSequence: after, throughGates: true }, signal)) {
        told();
        after = message.sequence;
        each(message);
        if (message.task) return;
        wait = 1000;
      }
    } catch (error) {
      if (signal.aborted || refused(error)) return;
      told(error);
    }
    await pause(wait, signal);
  }
}

/** refused reports whether it is of no use to ask again. */
const refused = (error) => error instanceof ApiError && [401, 403, 404].includes(error.status);
