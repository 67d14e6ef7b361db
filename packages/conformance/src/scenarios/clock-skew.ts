import { observedNeverFalls } from '../checks/heartbeats.js';
import { takesCommands } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

const HOUR_MS = 3_600_000;

const skewed = (name: string, title: string, skewMs: number): Scenario => ({
  name,
  title,
  conditions: { skewMs },
  judges: [takesCommands, observedNeverFalls],
  async play(stage) {
    // expires_at is long past for the agent, or hours away
    const deployment = await stage.deployed();
    await stage.ready(deployment);
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
    await stage.watch(2_000);
  },
});

export const clockAhead = skewed(
  'clock-ahead',
  "the agent's clock is an hour ahead of the service's",
  -HOUR_MS,
);
export const clockBehind = skewed(
  'clock-behind',
  "the agent's clock is an hour behind the service's",
  HOUR_MS,
);
