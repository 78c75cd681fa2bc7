// Who is signed in, and what they may do. What they may not do is not offered; the server decides all the same.

import { get } from "./api.js";
import { key } from "./session.js";

let known = {}; // whom a key stands for

/** whoami asks once for each key whom it stands for, and again for one that is typed: that it once stood for somebody says nothing. */
export async function whoami(typed = false) {
  const asked = key();
  if (typed || known.key !== asked) known = { key: asked, caller: await get("/v1/caller") };
  return known.caller;
}

/** may reports whether they may call a method, such as "RegistryService/DrainAgent", about an agent if one is named: agents act for themselves only. */
export function may(method, agent) {
  const { name, roles, methods } = known.caller;
  const forItself = roles.every((role) => role === "agent" || role === "viewer");
  return methods.some((m) => m.endsWith(`.${method}`)) && (agent === undefined || !forItself || agent === name);
}
