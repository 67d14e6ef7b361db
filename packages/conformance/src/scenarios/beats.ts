import type { Stage } from '../stage.js';

/** Waits for heartbeats: on a slow machine they are as late as everything else. */
export async function beats(stage: Stage, count: number): Promise<void> {
  await orBeats(stage, () => false, count);
}

/** Waits for a condition, or for a number of heartbeats. */
export async function orBeats(stage: Stage, condition: () => boolean, count: number): Promise<void> {
  const since = stage.service.now();
  const isOver = () => condition() || stage.answered('heartbeat', since).length >= count;
  await stage.comes(() => isOver() || Boolean(stage.agent?.end), stage.patienceMs);
}
