// The REST API: calls, writes that may be repeated, and streams of events.

import { key } from "./session.js";

/** ApiError is an answer that is an error, with the reason that the API gives to programs. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message || `the server answered ${status}`);
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

/** get reads a resource. */
export async function get(url, query, signal) {
  return (await request("GET", url, { query, signal })).json();
}

const unanswered = new Map(); // request ids of writes of which nobody knows whether they arrived

/** send writes. The same write again after a failed connection has the same request id, so that it is done once. */
export async function send(method, url, { query, body } = {}) {
  const what = JSON.stringify([method, url, query, body]);
  const requestId = unanswered.get(what) ?? randomId();
  unanswered.set(what, requestId);
  try {
    const answer = await request(method, url, method === "DELETE" ? { query: { ...query, requestId } } : { query, body: { ...body, requestId } });
    unanswered.delete(what);
    return await answer.json();
  } catch (error) {
    if (error.status < 500) unanswered.delete(what); // otherwise it may have been done
    throw error;
  }
}

/** post calls a method that takes no request id. */
export async function post(url, body, signal) {
  return (await request("POST", url, { body, signal })).json();
}

/** remove deletes what has no request id. */
export async function remove(url) {
  return (await request("DELETE", url)).json();
}

function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** events calls opened and yields each message of a stream until it ends. EventSource would do as well if it could send the key. */
export async function* events(url, query, signal, opened) {
  const answer = await request("GET", url, { query, signal, accept: "text/event-stream" });
  opened();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => line.slice(6))
        .join("\n");
      if (block.startsWith("event: error")) throw new ApiError(200, JSON.parse(data));
      if (data) yield JSON.parse(data);
    }
  }
}
