import type { AgentEventData, DeploymentEventData } from './event-payloads.js';
import { payloadsOf } from './message-body.js';

const AT = new Date('2026-01-31T09:30:00.000Z');
const AGENT_ID = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
const PAGE = `https://control.example.com/agents/${AGENT_ID}`;

const deployment = (agentName: string, reason: string | null) =>
  ({
    deployment: {
      id: '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa',
      agent_id: AGENT_ID,
      agent_name: agentName,
      ready_replicas: 0,
      replicas: 3,
    },
    event: { status: 'failed', previous_status: 'running', error_message: reason },
  }) as DeploymentEventData;

describe('A webhook message', () => {
  const failed = payloadsOf(
    'deployment.failed',
    deployment('invoice-reader', 'exit code 1'),
    'https://control.example.com',
    AT,
  );

  it('links to the page of its agent in the standard format', () => {
    expect(JSON.parse(failed.standard)).toMatchObject({
      type: 'deployment.failed',
      timestamp: AT.toISOString(),
      data: { deployment: { agent_name: 'invoice-reader' }, agent_url: PAGE },
    });
  });

  it('names the agent, the step, the reason and the page in the text formats', () => {
    const lines = [
      'invoice-reader: failed; deployment …1c7be0aa is failed (was running), 0 of 3 replicas ready',
      'exit code 1',
    ];
    expect(failed.text).toBe([...lines, PAGE].join('\n'));
    expect(JSON.parse(failed.slack)).toEqual({ text: [...lines, `<${PAGE}|Open the agent>`].join('\n') });
  });

  it('has no link when WEB_PUBLIC_URL is not set', () => {
    const agent = { agent: { id: AGENT_ID, name: 'reader', status: 'failed' }, previous_status: 'running' };
    const { standard, text } = payloadsOf('agent.status_changed', agent as never, '', AT);
    expect(JSON.parse(standard).data.agent_url).toBeNull();
    expect(text).toBe('Agent reader is failed (was running)');
  });

  it("can neither mention anybody nor add a link in Slack through the agent's name", () => {
    const { slack } = payloadsOf(
      'deployment.failed',
      deployment('<!channel>', `<https://evil.example|click> & ${'x'.repeat(600)}`),
      '',
      AT,
    );
    const [first, reason] = JSON.parse(slack).text.split('\n');
    expect(first).toMatch(/^&lt;!channel&gt;: failed; /);
    expect(reason).toMatch(/^&lt;https:\/\/evil\.example\|click&gt; &amp; x+…$/);
  });

  it('of a test says so in each format', () => {
    const test = { webhook_id: AGENT_ID, message: 'This is a test' };
    const { standard, slack, text } = payloadsOf('webhook.test', test, 'https://control.example.com', AT);
    expect(JSON.parse(standard).data).toEqual(test);
    expect(JSON.parse(slack)).toEqual({ text: 'This is a test' });
    expect(text).toBe('This is a test');
  });

  it('of an agent is one line', () => {
    const agent = { agent: { id: AGENT_ID, name: 'reader' } } as AgentEventData;
    expect(payloadsOf('agent.deleted', agent, '', AT).text).toBe('Agent reader was deleted');
  });
});
