import { summarisePatterns, togglePattern } from './event-patterns.js';

describe('The event patterns of a webhook', () => {
  it('replace the kinds of a chosen family, and no others', () => {
    expect(togglePattern(['deployment.failed', 'agent.created'], 'deployment.*')).toEqual([
      'agent.created',
      'deployment.*',
    ]);
  });

  it('replace everything with a single chosen kind', () => {
    expect(togglePattern(['*'], 'deployment.ready')).toEqual(['deployment.ready']);
  });

  it('drop a pattern that is chosen again', () => {
    expect(togglePattern(['agent.*', 'deployment.ready'], 'agent.*')).toEqual(['deployment.ready']);
  });

  it('are listed in the order of the picker', () => {
    expect(summarisePatterns(['agent.created', 'deployment.kill', 'deployment.deploy'])).toEqual([
      'deployment.deploy',
      'deployment.kill',
      'agent.created',
    ]);
    expect(summarisePatterns(['*'])).toEqual(['Everything']);
  });
});
