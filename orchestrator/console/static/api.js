// The REST API: calls, writes that may be repeated, and streams of events.

import { key } from "./session.js";

const place = /^the body cannot be read, line \d+:\d+: /; // of a body that the console made; the field follows

/** ApiError is an answer that is an error, with the reason that the API gives to programs. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message?.replace(place, "") || `the server answered ${status}`);
    const detail = (type) => body?.details?.find((d) => d["@type"]?.endsWith(type));
    this.status = status;
    this.reason = detail("ErrorInfo")?.reason ?? "";
    this.violations = detail("BadRequest")?.fieldViolations ?? [];
  }
}

/** path joins segments, each of which may hold any character, behind /v1; a custom method follows the last one as ":name". */
export function path(...segments) {
  const step = segments.find((segment) => segment === "." || segment === "..");
  if (step) throw new Error(`“${step}” cannot be looked up: in an address it is a step that leads elsewhere.`);
  return "/v1/" + segments.map(encodeURIComponent).join("/");
}

const silence = 60_000; // milliseconds; on a stream the server says something every 15 seconds

/** patient returns a signal that ends with the given one, or when nothing is heard for a while: a connection can last and have nobody behind it. */
export function patient(signal) {
  const silent = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(new Error("The server gives no answer.")), silence);
  };
  heard();
  return { heard, done: () => clearTimeout(timer), signal: AbortSignal.any([silent.signal, signal].filter(Boolean)) };
}

async function request(method, url, { query, body, accept, signal } = {}) {
  const filled = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  const shown = key();
  const headers = { Authorization: `Bearer ${shown}` };
  if (accept) headers.Accept = accept;
  if (body) headers["Content-Type"] = "application/json";
  const search = filled.length ? "?" + new URLSearchParams(filled) : "";
  const options = { method, headers, signal, body: body && JSON.stringify(body), cache: "no-store", redirect: "error" };
  const answer = await fetch(url + search, options).catch((error) => {
    throw error instanceof TypeError ? new Error(`The server cannot be reached: ${error.message}.`) : error;
  });
  if (answer.ok) return answer;
  const error = new ApiError(answer.status, await answer.json().catch(() => null));
  if (answer.status === 401 && shown === key()) document.dispatchEvent(new CustomEvent("signed-out", { detail: error }));
  throw error;
}

/** read returns what an answer says. A proxy before the server may answer in its place, with a page for people. */
export async function read(answer) {
  return await answer.json().catch((error) => {
    throw error instanceof SyntaxError
      ? new Error(`Something before Quorate answered in its place, such as a proxy: ${answer.status}, and no JSON.`)
      : error;
  });
}

async function call(method, url, options) {
  const wait = patient(options?.signal);
  try {
    return await read(await request(method, url, { ...options, signal: wait.signal }));
  } finally {
    wait.done();
  }
}

/** get reads a resource. */
export const get = (url, query, signal) => call("GET", url, { query, signal });

const unanswered = new Map(); // request ids of writes of which nobody knows whether they arrived
const unseen = [401, 403, 429]; // answers that come before the write is looked at: they say nothing about an attempt before

/** send writes. The same write again after a failed connection has the same request id, so that it is done once. */
export async function send(method, url, { query, body } = {}) {
  const what = JSON.stringify([method, url, query, body]);
  const requestId = unanswered.get(what) ?? randomId();
  unanswered.set(what, requestId);
  try {
    const answer = await call(method, url, method === "DELETE" ? { query: { ...query, requestId } } : { query, body: { ...body, requestId } });
    unanswered.delete(what);
    return answer;
  } catch (error) {
    if (error.status < 500 && !unseen.includes(error.status)) unanswered.delete(what); // otherwise it may have been done
    throw error;
  }
}

/** post calls a method that takes no request id. */
export const post = (url, body, signal) => call("POST", url, { body, signal });

/** remove deletes what has no request id. */
export const remove = (url) => call("DELETE", url);

function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** events calls opened and yields each message of a stream until it ends. EventSource would do as well if it could send the key. */
export async function* events(url, query, signal, opened) {
  const wait = patient(signal);
  try {
    const answer = await request("GET", url, { query, signal: wait.signal, accept: "text/event-stream" });
    opened();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      wait.heard();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const said = message(block);
        if (said) yield said;
      }
    }
  } finally {
    wait.done();
  }
}

/** message is what an event of a stream says; a comment says nothing. */
function message(block) {
  const data = block
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice(6))
    .join("\n");
  if (block.startsWith("event: error")) throw new ApiError(200, JSON.parse(data));
  return data && JSON.parse(data);
}
