// An agent over gRPC that delivers as many bytes as the message says. It prints its port.
import { randomUUID } from "node:crypto";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { A2AService, grpcService, UserBuilder } from "@a2a-js/sdk/server/grpc";

const card = {
  name: "js", description: "Delivers text.", version: "1.0.0", capabilities: { streaming: true, extensions: [] },
  supportedInterfaces: [{ url: "grpc", protocolBinding: "GRPC", tenant: "", protocolVersion: "1.0" }],
  defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [], securitySchemes: {}, securityRequirements: [], signatures: [],
};

const executor = {
  async execute({ userMessage, taskId, contextId }, bus) {
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const value = "x".repeat(Number(userMessage.parts[0].content.value));
    const part = { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "text/plain" };
    const artifact = { artifactId: randomUUID(), name: "text", description: "", parts: [part], metadata: undefined, extensions: [] };
    bus.publish(AgentEvent.task({
      id: taskId, contextId, status: status(TaskState.TASK_STATE_WORKING), artifacts: [], history: [userMessage], metadata: undefined,
    }));
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }));
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined }));
    bus.finished();
  },
  async cancelTask() {},
};

const server = new Server();
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
server.addService(A2AService, grpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (err, port) => {
  if (err) throw err;
  console.log(port);
});
