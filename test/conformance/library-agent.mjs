// An agent with the TypeScript library that takes runs: its work is one request to the address in their input.
import { get } from 'node:http';
import { join } from 'node:path';
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL, SERVICE_AGENT_KEY, CONFORMANCE_DIRECTORY } = process.env;

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  stateDir: join(CONFORMANCE_DIRECTORY, 'state'),
  onEvent: ({ level, message }) => level === 'info' || process.stderr.write(`${message}\n`),
  concurrency: 2,
  async onRun(run) {
    const { address, approval } = run.input;
    if (approval) (await run.approve(approval)).check(approval.action.args);
    return outputOf(address, run.signal);
  },
});

function outputOf(address, signal) {
  return new Promise((resolve, reject) => {
    get(address, { signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('error', reject).on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}
process.once('SIGTERM', () => runtime.stop());
await runtime.run();
