// An agent that asks people before it pays. It takes runs whose input is {"invoice": 4711, "to": "DE02", "euros": 120}.
//
// SERVICE_API_URL=http://127.0.0.1:8000 SERVICE_AGENT_KEY=svc_agent_... node paying-agent.mjs
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const { SERVICE_API_URL = 'http://127.0.0.1:8000', SERVICE_AGENT_KEY, STATE_DIR = 'state' } = process.env;

const runtime = new AgentRuntime({
  baseUrl: SERVICE_API_URL,
  key: SERVICE_AGENT_KEY,
  stateDir: STATE_DIR,
  async onRun(run) {
    const { invoice, ...payment } = run.input;
    const decision = await run.approve({
      title: `Pay invoice ${invoice}`,
      risk: 'high',
      action: { name: 'send_payment', args: payment },
      allowedDecisions: ['approve', 'edit', 'reject'],
    });
    // it throws unless a person has approved: the run fails, and says why
    return run.tool('send_payment', decision.args, sendPayment);
  },
});

/** Pays, in this example, by saying so. */
async function sendPayment({ to, euros }) {
  return { paid: euros, to };
}

process.once('SIGTERM', () => runtime.stop());
await runtime.run();
