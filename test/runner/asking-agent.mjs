// An agent that asks before it acts, with the library in TypeScript. It says what it may run, and ends.
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL, SERVICE_AGENT_KEY } = process.env;

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  apply: async () => undefined,
});
const working = runtime.run();
const { state, args } = await runtime.approve({
  title: 'Pay invoice 4711',
  action: { name: 'send_payment', args: { to: 'DE02', euros: 120 } },
  allowedDecisions: ['approve', 'edit'],
});
process.stdout.write(`${JSON.stringify({ state, args })}\n`);
await runtime.stop();
await working;
