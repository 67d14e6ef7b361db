import { summarisePatterns, togglePattern } from './event-patterns.js';

describe('The event patterns of a webhook', () => {
  it('replace the events of a chosen family only', () => {
    expect(togglePattern(['deployment.failed', 'agent.created'], 'deployment.*')).toEqual([
      'agent.created',
      'deployment.*',
    ]);
  });

  it('replace all patterns when one event is chosen', () => {
    expect(togglePattern(['*'], 'deployment.ready')).toEqual(['deployment.ready']);
  });

  it('lose a pattern that is chosen again', () => {
    expect(togglePattern(['agent.*', 'deployment.ready'], 'agent.*')).toEqual(['deployment.ready']);
  });

  it('are in the order of the picker', () => {
    expect(
      summarisePatterns(['agent.created', 'run.failed', 'deployment.kill', 'deployment.deploy']),
    ).toEqual(['deployment.deploy', 'deployment.kill', 'run.failed', 'agent.created']);
    expect(summarisePatterns(['*'])).toEqual(['Everything']);
  });
});
