// What goes on: streams, which begin again behind the last event when the connection breaks, and what is asked for now and then.
//
// A tab that is not seen has no stream: over HTTP/1.1 a browser has six connections to a server for all its tabs.

import { ApiError, events } from "./api.js";

const moment = 100; // milliseconds, in which much comes together
const shortest = 1000; // milliseconds between two attempts
const longest = 30_000;

/** pause waits, or less when signal ends it. */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}

/** every calls act now and then while the page is seen, until signal ends it, and told with the error or none. */
export async function every(milliseconds, signal, told, act) {
  for (;;) {
    await pause(milliseconds, signal);
    if (signal.aborted) return;
    if (document.hidden) continue;
    try {
      await act();
      told();
    } catch (error) {
      if (!signal.aborted) told(error);
    }
  }
}

/** latest returns a function that loads and shows; what is overtaken by a later call is not shown, and its error is nobody's. */
export function latest(load, show) {
  let calls = 0;
  return async (...given) => {
    const call = ++calls;
    try {
      const value = await load(...given);
      if (call === calls) show(value);
    } catch (error) {
      if (call === calls) throw error;
    }
  };
}

/** soon returns a function that has act called in a moment: once for all that asks for it meanwhile, never twice at a time, and again until it succeeds. */
export function soon(signal, told, act) {
  let asked = false;
  let busy = false;
  async function run() {
    busy = true;
    for (let wait = moment; asked;) {
      await pause(wait, signal);
      if (signal.aborted) return;
      asked = false;
      try {
        await act();
        if (wait > moment) told();
        wait = moment;
      } catch (error) {
        if (signal.aborted) return;
        told(error);
        asked = !refused(error);
        wait = Math.min(Math.max(2 * wait, shortest), longest);
      }
    }
    busy = false;
  }
  return () => {
    asked = true;
    if (!busy) run();
  };
}

/** follow reads a stream until done says so, from where query() says; told(error) when it breaks and, without one, when it is back. */
async function follow(url, query, signal, told, each) {
  for (let wait = shortest; !signal.aborted; wait = Math.min(2 * wait, longest)) {
    if (document.hidden) await untilSeen(signal);
    const seen = whileSeen(signal);
    try {
      for await (const message of events(url, query(), seen, told)) {
        if (each(message) === "done") return;
        wait = shortest;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!seen.aborted) told(error);
      if (refused(error)) return;
    }
    if (seen.aborted)
      wait = shortest / 2; // the server did nothing wrong
    else await pause(wait, signal);
  }
}

function whileSeen(signal) {
  const hidden = new AbortController();
  document.addEventListener("visibilitychange", () => hidden.abort(), { once: true, signal });
  return AbortSignal.any([signal, hidden.signal]);
}

const untilSeen = (signal) =>
  new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true, signal });
    signal.addEventListener("abort", resolve, { once: true });
  });

/** refused reports whether it is of no use to ask again. */
export const refused = (error) => error instanceof ApiError && [401, 403, 404].includes(error.status);

let revision; // of the registry, up to which this page has heard

/** followAgents calls each for every change of an agent, and current when no change is missing so far: what was listed before may be old. */
export function followAgents(signal, told, each, current) {
  return follow(
    "/v1/agents:watch",
    () => (revision ? { revision } : { skipSnapshot: true }),
    signal,
    (error) => {
      if (error?.reason === "REVISION_GONE") revision = undefined;
      told(error);
    },
    (event) => {
      revision = event.sequence;
      if (event.type === "bookmark") current();
      else if (event.type !== "mapping") each(event);
    },
  );
}

/** followTask calls each for every event of a task, from its first to its end. */
export function followTask(url, signal, told, each) {
  let afterSequence = 0;
  return follow(
    url + ":watch",
    () => ({ afterSequence, throughGates: true }),
    signal,
    told,
    (message) => {
      afterSequence = message.sequence;
      each(message);
      return message.task && "done";
    },
  );
}
