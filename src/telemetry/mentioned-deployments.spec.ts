import { InvalidError } from '../errors/domain-error.js';
import { mentionedDeployments, assertOwnDeployments, straysAmong } from './mentioned-deployments.js';

const entry = (deploymentId: string | null, path = '') => ({ path, deploymentId, timestamp: new Date() });

describe('mentionedDeployments', () => {
  it('returns each valid UUID once', () => {
    const [a, b] = ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b'];
    expect(mentionedDeployments([entry(a), entry(null), entry(b), entry('x'), entry(a)])).toEqual([a, b]);
  });
});

describe('assertOwnDeployments', () => {
  it("accepts entries that name the agent's deployments or none", () => {
    expect(() => assertOwnDeployments(straysAmong([entry('a'), entry(null)], new Set(['a'])))).not.toThrow();
  });

  it('refuses and names every entry with a deployment of another agent', () => {
    const entries = [entry('a', 'logs.0.'), entry('x', 'logs.1.'), entry('y', 'logs.2.')];
    let refusal: unknown;
    try {
      assertOwnDeployments(straysAmong(entries, new Set(['a'])));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(InvalidError);
    expect((refusal as InvalidError).messages).toEqual([
      'logs.1.deployment_id must be a deployment of this agent',
      'logs.2.deployment_id must be a deployment of this agent',
    ]);
  });
});
