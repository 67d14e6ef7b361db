import type { Deployment } from '@agent-control-plane/client';
import { isNewestLeftOut, runningVersion, versionBefore } from './deployed-version.js';

const deployment = (status: Deployment['status'], config_version: number) =>
  ({ status, config_version }) as Deployment;

describe('The config version that runs', () => {
  it('is that of the newest active deployment, and the one before it is the last other one that was deployed', () => {
    const deployments = [
      deployment('failed', 6),
      deployment('ready', 5),
      deployment('stopped', 5),
      deployment('stopped', 2),
    ];
    const agent = { deployments, config_version: 6 };
    expect([runningVersion(agent), versionBefore(agent), isNewestLeftOut(agent)]).toEqual([5, 2, true]);
  });

  it('has the version that was saved before it where no other one was deployed', () => {
    expect(versionBefore({ deployments: [deployment('ready', 3)], config_version: 3 })).toBe(2);
    expect(versionBefore({ deployments: [deployment('ready', 1)], config_version: 1 })).toBeNull();
  });

  it('is empty when no deployment is meant to run', () => {
    const agent = { deployments: [deployment('stopped', 1)], config_version: 2 };
    expect([runningVersion(agent), versionBefore(agent), isNewestLeftOut(agent)]).toEqual([
      null,
      null,
      false,
    ]);
  });
});
