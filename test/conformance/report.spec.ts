import { CHECKS, RULES } from '../../packages/conformance/src/checks/all-checks.js';
import { killsAtOnce, registers, runsWhatIsAsked } from '../../packages/conformance/src/checks/milestones.js';
import { asJunit } from '../../packages/conformance/src/junit.js';
import { readOptions } from '../../packages/conformance/src/options.js';
import { asJson, summary, told, totalsOf } from '../../packages/conformance/src/report.js';
import { verdictsOn } from '../../packages/conformance/src/run-scenario.js';
import { story } from '../../packages/conformance/src/scenarios/story.js';
import { call, evidence } from './seen-evidence.js';

const everySecond = Array.from({ length: 10 }, (_, second) => call({ at: second * 1_000 }));

describe('The report', () => {
  const breach = 'It was in call 1 (POST /agents/heartbeat)';
  const broken = { rule: registers, breaches: [breach, 'two', 'three', 'four'] };
  const passed = { rule: CHECKS[0]!, breaches: [] };
  const outcome = {
    scenario: story,
    verdicts: [passed, broken],
    unjudged: [runsWhatIsAsked],
    unasked: [],
    calls: [call({ body: { message: 'a < b' }, reply: '{"status":"ok"}' }), call({ number: 2 })],
    seconds: 1.2,
    agentOutput: 'last words\u0007',
  };

  it('names each breach with its level and a link to the documentation', () => {
    const text = told(outcome);
    expect(text).toMatch(/^FAILED story: .*\(1 of 2 checks, 2 calls, 1 s\)\n/);
    expect(text).toContain('MUST The agent registers');
    expect(text).toContain('three\n         ... and 1 more times');
    expect(text).toContain('docs/runtime-protocol.md#a-new-process');
    expect(text).toContain('| last words');
  });

  it('shows only the exchanges to which messages refer', () => {
    const text = told(outcome);
    expect(text).toContain('> {"message":"a < b"}\n       < 200 after 5 ms\n       < {"status":"ok"}');
    expect(text).not.toContain('call 2,');
  });

  it('names the rules that could not be judged, and their conditions', () => {
    expect(told(outcome)).toContain('NOT JUDGED The agent runs as many replicas');
    expect(told({ ...outcome, verdicts: [passed] })).toMatch(/^UNSURE story/);
    expect(told({ ...outcome, verdicts: [passed], unjudged: [] })).toMatch(/^ok {5}story/);
  });

  it('names the rules that are not asked of the agent, which are no failures', () => {
    const spared = { ...outcome, verdicts: [passed], unjudged: [], unasked: [killsAtOnce] };
    expect(told(spared)).toMatch(/^ok {5}story[^]+NOT ASKED The agent ends the replicas of a kill at once/);
    expect(told(spared)).toContain('It is asked of an agent with replicas that are programs of the kit');
    expect(totalsOf([spared])).toMatchObject({ passed: 1, failed: 0, unjudged: 0 });
    expect(JSON.parse(asJson([spared])).scenarios[0].unasked).toMatchObject([{ id: 'kills-at-once' }]);
    const xml = asJunit([spared], { isStrict: true, allowsUnjudged: false });
    expect(xml).toContain('tests="2" failures="0" skipped="1"');
  });

  it('counts passed, failed and unjudged rules', () => {
    expect(summary(totalsOf([outcome, outcome]))).toBe(
      '2 checks passed, 2 failed (2 MUST, 0 SHOULD), 2 not judged',
    );
    expect(JSON.parse(asJson([outcome]))).toMatchObject({
      passed: 1,
      failed: 1,
      unjudged: 1,
      scenarios: [{ scenario: 'story', calls: 2, unjudged: [{ id: 'runs-what-is-asked' }] }],
    });
  });

  it('is well-formed XML with the breaches as failures', () => {
    const xml = asJunit([outcome], { isStrict: false, allowsUnjudged: false });
    expect(xml).toContain('<testsuite name="story" tests="3" failures="2" skipped="0" time="1.200">');
    expect(xml).toContain('{&quot;message&quot;:&quot;a &lt; b&quot;}');
    expect(xml).toContain('<system-out>last words\uFFFD</system-out>');
    const lenient = asJunit([outcome], { isStrict: false, allowsUnjudged: true });
    expect(lenient).toContain('tests="3" failures="1" skipped="1"');
  });

  it('has one verdict for each rule that was judged, in a fixed order', () => {
    const verdicts = verdictsOn(evidence({ calls: everySecond }), [broken, { ...broken, breaches: [] }]);
    expect(verdicts.filter(({ rule }) => rule.id === 'registers')).toEqual([broken]);
    const order = verdicts.map(({ rule }) => RULES.indexOf(rule));
    expect(order).toEqual([...order].sort((one, other) => one - other));
  });
});

describe('The options', () => {
  it('are parsed', () => {
    expect(readOptions(['--scenario', 'story', '--strict', 'agent'])).toMatchObject({
      scenarios: [story],
      command: ['agent'],
      port: 0,
      jobs: 8,
      isStrict: true,
      allowsUnjudged: false,
      wants: 'run',
    });
    expect(readOptions(['--allow-unjudged', '--junit', 'file', 'agent'])).toMatchObject({
      allowsUnjudged: true,
      junit: 'file',
    });
    expect(readOptions(['--port', '8500', '--', 'agent', '--verbose'])).toMatchObject({
      command: ['agent', '--verbose'],
      port: 8_500,
      jobs: 1,
    });
    expect(readOptions([])).toMatchObject({ command: undefined, jobs: 1 });
  });

  it.each([
    ['with its separator', ['--']],
    ['without it, which npm run takes for itself', []],
  ])('leave the command unchanged, %s', (_, separator) => {
    const command = ['python3', '-u', 'agent.py', '--port', '1', '--', '--json'];
    expect(readOptions(['--jobs', '2', ...separator, ...command])).toMatchObject({
      command,
      port: 0,
      jobs: 2,
      isJson: false,
    });
  });

  it.each([
    [['--scenario', 'none'], 'There is no scenario none'],
    [['--port', '70000'], '--port must be'],
    [['--patience', 'soon'], '--patience must be'],
    [['--jobs', '2'], '--jobs needs a command'],
    [['--wrong'], 'wrong'],
  ])('%j are refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
