import { InvalidError } from '../errors/domain-error.js';
import { assertOwnReferences, mentionedIds, straysAmong } from './entry-references.js';

const entry = (deploymentId: string | null, runId: string | null = null, path = '') => ({
  path,
  deploymentId,
  runId,
  timestamp: new Date(),
});
const owned = { deployments: new Set(['a']), runs: new Map([['r', null]]) };

describe('mentionedIds', () => {
  it('returns each valid UUID once', () => {
    const [a, b] = ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b'];
    const entries = [entry(a, b), entry(null), entry(b, b), entry('x', 'y'), entry(a, null)];
    expect(mentionedIds(entries, 'deployment_id')).toEqual([a, b]);
    expect(mentionedIds(entries, 'run_id')).toEqual([b]);
  });
});

describe('assertOwnReferences', () => {
  it("accepts entries that name the agent's deployments and runs, or none", () => {
    const entries = [entry('a', 'r'), entry('a'), entry(null, 'r'), entry(null)];
    expect(() => assertOwnReferences(straysAmong(entries, owned))).not.toThrow();
  });

  it('refuses and names every entry with a deployment or a run of another agent', () => {
    const entries = [
      entry('a', 'r', 'logs.0.'),
      entry('x', 'r', 'logs.1.'),
      entry('a', 'z', 'logs.2.'),
      entry('y', 'z', 'logs.3.'),
    ];
    let refusal: unknown;
    try {
      assertOwnReferences(straysAmong(entries, owned));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(InvalidError);
    expect((refusal as InvalidError).rules.map(({ message }) => message)).toEqual([
      'logs.1.deployment_id must be a deployment of this agent',
      'logs.2.run_id must be a run of this agent',
      'logs.3.deployment_id must be a deployment of this agent',
    ]);
  });
});
