// Has a conversation with an agent behind Quorate, over the binding that it is given. Usage: node client.js BINDING BASE_URL; the token is on stdin.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { Role, TaskState } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";

const [binding, base] = process.argv.slice(2);
const token = (await text(process.stdin)).trim();
const fetchImpl = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${token}`);
  return fetch(url, { ...init, headers });
};
const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(base + "/", ".well-known/agent-card.json");
card.supportedInterfaces = card.supportedInterfaces.filter((i) => i.protocolBinding === binding);
const client = await new ClientFactory({
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl }), new GrpcTransportFactory()],
}).createFromAgentCard(card);
const options = { serviceParameters: { Authorization: `Bearer ${token}` } };

const request = (words, taskId = "", configuration = {}) => ({
  tenant: "",
  message: {
    messageId: randomUUID(), contextId: "", taskId, role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [],
    parts: [{ content: { $case: "text", value: words }, metadata: undefined, filename: "", mediaType: "" }],
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false, ...configuration },
  metadata: undefined,
});
const words = (parts) => parts.map((p) => p.content?.value).filter((v) => typeof v === "string").join("");

// A conversation: the agent asks twice, the second answer is streamed.
const sent = await client.sendMessage(request("a hat"), options);
assert.equal(sent.status.state, TaskState.TASK_STATE_INPUT_REQUIRED, "the agent asks");
assert.equal(words(sent.status.message.parts), "which one?");
const asked = await client.sendMessage(request("green", sent.id), options);
assert.equal(words(asked.status.message.parts), "how many?");
assert.deepEqual(asked.history.map((m) => words(m.parts)), ["a hat", "which one?", "green"]);

const kinds = [];
let last, delivered = "";
for await (const event of client.sendMessageStream(request("two", sent.id), options)) {
  kinds.push(event.payload.$case);
  if (event.payload.$case === "statusUpdate") last = event.payload.value.status.state;
  if (event.payload.$case === "artifactUpdate") delivered += words(event.payload.value.artifact.parts);
}
assert.equal(kinds[0], "task", "a stream begins with the task");
assert.equal(last, TaskState.TASK_STATE_COMPLETED, "and ends with its end");
assert.equal(delivered, "a hat, green, two");

const got = await client.getTask({ tenant: "", id: sent.id, historyLength: 1 }, options);
assert.deepEqual(got.history.map((m) => words(m.parts)), ["two"]);
assert.equal(words(got.artifacts[0].parts), "a hat, green, two");
const list = await client.listTasks({ tenant: "", contextId: sent.contextId, status: 0, pageSize: 10, pageToken: "", includeArtifacts: false }, options);
assert.deepEqual(list.tasks.map((t) => t.id), [sent.id]);

// Receivers of push notifications, and the errors that A2A has.
const made = await client.createTaskPushNotificationConfig(
  { tenant: "", id: "mine", taskId: sent.id, url: "https://example.com/hook", token: "tok", authentication: undefined }, options);
assert.equal(made.url, "https://example.com/hook");
await client.deleteTaskPushNotificationConfig({ tenant: "", id: "mine", taskId: sent.id }, options);
await assert.rejects(() => client.sendMessage(request("late", sent.id), options), /has already ended/);
await assert.rejects(() => client.getTask({ tenant: "", id: "absent" }, options));
const open = await client.sendMessage(request("a coat", "", { returnImmediately: true }), options);
const canceled = await client.cancelTask({ tenant: "", id: open.id, metadata: undefined }, options);
assert.equal(canceled.status.state, TaskState.TASK_STATE_CANCELED);
process.stdout.write("ok\n");
process.exit(0); // gRPC would keep its connection
