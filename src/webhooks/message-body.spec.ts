import type { AgentEventData, DeploymentEventData } from './event-payloads.js';
import { payloadsOf } from './message-body.js';

const AT = new Date('2026-01-31T09:30:00.000Z');
const AGENT_ID = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
const PAGE = `https://company.example/control/agents/${AGENT_ID}`;

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
    'https://company.example/control',
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
    expect(JSON.parse(failed.slack)).toEqual({
      text: [
        '`invoice-reader`: failed; deployment …1c7be0aa is failed (was running), 0 of 3 replicas ready',
        '`exit code 1`',
        `<${PAGE}|Open the agent>`,
      ].join('\n'),
    });
  });

  it('has no link when WEB_PUBLIC_URL is not set', () => {
    const agent = { agent: { id: AGENT_ID, name: 'reader', status: 'failed' }, previous_status: 'running' };
    const { standard, text } = payloadsOf('agent.status_changed', agent as never, '', AT);
    expect(JSON.parse(standard).data.agent_url).toBeNull();
    expect(text).toBe('Agent reader is failed (was running)');
  });

  describe.each(['slack', 'text'] as const)('in the format %s', (format) => {
    const linesOf = (name: string, reason: string) => {
      const body = payloadsOf(
        'deployment.failed',
        deployment(name, reason),
        'https://company.example/control',
        AT,
      );
      return (format === 'slack' ? (JSON.parse(body.slack) as { text: string }).text : body.text).split('\n');
    };

    it.each([
      ['line feeds', 'a\nb\r\nc'],
      ['other ends of lines', 'a\u2028b\u2029c\u0085d\u000be'],
      ['terminal sequences', 'a\u001b[31mb\u0000'],
    ])('has three lines when the name and the reason have %s', (_, text) => {
      const lines = linesOf(text, text);
      expect(lines).toHaveLength(3);
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    });

    it.each(['@everyone', '@here', '@channel', '<@U012AB3CD>', '@all', 'ops@example.com'])(
      'mentions no user when the name and the reason have %s',
      (mention) => {
        expect(linesOf(mention, mention).join('')).not.toMatch(/@[\w!]/);
      },
    );

    it.each([
      'https://evil.example/x',
      '<https://evil.example|click>',
      '[click](https://evil.example)',
      'www.evil.example',
    ])('has the link to the page alone when the name and the reason have %s', (link) => {
      const lines = linesOf(link, link);
      expect(lines.pop()).toContain(PAGE);
      expect(lines.join('')).not.toMatch(/:\/\/|www\./);
    });

    it('turns no direction of text', () => {
      expect(linesOf('a\u202eb\u2066c\u200fd', 'x').join('')).not.toMatch(
        /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
      );
    });

    it('cuts a long name and a long reason between characters', () => {
      const [first, reason] = linesOf(`${'x'.repeat(99)}😀😀`, `${'y'.repeat(499)}😀😀`);
      expect(first).toMatch(/^`?x{99}😀…`?: failed; /u);
      expect(reason).toMatch(/^`?y{499}😀…`?$/u);
    });
  });

  it('shows names and reasons as code in Slack when they have its markup', () => {
    const markup = '<!channel> & `*bold*` _x_ ~y~';
    const { slack } = payloadsOf('deployment.failed', deployment(markup, markup), '', AT);
    const code = "`&lt;!channel&gt; &amp; '*bold*' _x_ ~y~`";
    const [first, reason] = (JSON.parse(slack) as { text: string }).text.split('\n');
    expect([first!.slice(0, code.length), reason]).toEqual([code, code]);
  });

  it('of a test says so in each format', () => {
    const test = { webhook_id: AGENT_ID, message: 'This is a test' };
    const { standard, slack, text } = payloadsOf('webhook.test', test, 'https://company.example/control', AT);
    expect(JSON.parse(standard).data).toEqual(test);
    expect(JSON.parse(slack)).toEqual({ text: 'This is a test' });
    expect(text).toBe('This is a test');
  });

  it('of an agent has one line', () => {
    const agent = { agent: { id: AGENT_ID, name: 'reader' } } as AgentEventData;
    expect(payloadsOf('agent.deleted', agent, '', AT).text).toBe('Agent reader was deleted');
  });
});
