import { executesOnce } from '../checks/milestones.js';
import type { PlayedCommand } from '../service/played-queue.js';
import type { Stage } from '../stage.js';

/** Time within which a wrongly started program is visible; milliseconds. */
const WRONG_START_MS = 700;

/** Delivers a command again that was carried out. @returns the second effect that it had; null for none */
export async function deliveredAgain(stage: Stage, command: PlayedCommand): Promise<string | null> {
  const { replicas, service } = stage;
  const started = replicas.stories.length;
  const endedBefore = replicas.ended;
  const deliveries = command.deliveries.length;
  service.queue.deliverAgain(command);
  await stage.must(
    executesOnce,
    `It never took ${command.action} a second time`,
    () => command.deliveries.length > deliveries,
  );
  await stage.obeyed(command);
  if (!replicas.isInUse) return null;
  await stage.watch(WRONG_START_MS);
  const more = replicas.stories.length - started;
  const fewer = replicas.ended - endedBefore;
  return more > 0 || fewer > 0
    ? `${command.action} came a second time, and ${more} replicas were started and ${fewer} ended`
    : null;
}
