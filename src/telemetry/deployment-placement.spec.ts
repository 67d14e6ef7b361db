import { InvalidError } from '../errors/domain-error.js';
import { mentionedDeployments, placeInDeployments } from './deployment-placement.js';

const entry = (deploymentId: string | null, path = '') => ({ path, deploymentId, timestamp: new Date() });

describe('mentionedDeployments', () => {
  it('names each one once', () => {
    expect(mentionedDeployments([entry('a'), entry(null), entry('b'), entry('a')])).toEqual(['a', 'b']);
  });
});

describe('placeInDeployments', () => {
  it('leaves what is named, and fills in the only active one', () => {
    const targets = { owned: new Set(['a']), soleActive: 'b' };
    expect(placeInDeployments([entry('a'), entry(null)], targets)).toEqual(['a', 'b']);
  });

  it('fills in nothing where there is no such one', () => {
    expect(placeInDeployments([entry(null)], { owned: new Set(), soleActive: null })).toEqual([null]);
  });

  it("names every entry whose deployment is not the agent's", () => {
    const entries = [entry('a', 'logs.0.'), entry('x', 'logs.1.'), entry('y', 'logs.2.')];
    let refusal: unknown;
    try {
      placeInDeployments(entries, { owned: new Set(['a']), soleActive: 'a' });
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
