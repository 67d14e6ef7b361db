import { summarisePatterns, togglePattern } from './event-patterns.js';

describe('the events of a webhook', () => {
  it('a family takes the place of its kinds, and of no others', () => {
    expect(togglePattern(['deployment.failed', 'agent.created'], 'deployment.*')).toEqual([
      'agent.created',
      'deployment.*',
    ]);
  });

  it('one kind takes the place of everything', () => {
    expect(togglePattern(['*'], 'deployment.ready')).toEqual(['deployment.ready']);
  });

  it('what is chosen already is taken out', () => {
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
