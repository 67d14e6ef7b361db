import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../access/principal.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { databaseTime } from '../database/clock.js';
import type { Transaction } from '../database/transaction.js';
import { isActive } from '../lifecycle/deployment-lifecycle.js';
import { restartsAfter } from '../lifecycle/restart-pace.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import type { LastExit, RuntimeReport } from './runtime-report.types.js';

/**
 * Counts the restarts that a runtime reports, and detects a crash loop.
 *
 * @param deployment its row is locked
 * @returns the updated deployment
 */
export async function takeInRestarts(
  lifecycle: DeploymentLifecycleService,
  tx: Transaction,
  { actor, agent }: { readonly actor: Actor; readonly agent: LockedAgent },
  deployment: DeploymentEntity,
  report: RuntimeReport,
): Promise<DeploymentEntity> {
  if (!reportsRestarts(report, deployment)) return deployment;
  const now = await databaseTime(tx);
  const count = report.restartCount ?? deployment.restartCount;
  const after = isActive(deployment)
    ? restartsAfter(deployment, count, now)
    : { restartCount: count, recentRestarts: [], restartPace: null };
  const lastExit = report.lastExit ?? deployment.lastExit;
  const noted = await lifecycle.noteRestarts(tx, deployment, {
    ...after,
    lastRestartAt: after.recentRestarts.at(-1) ?? deployment.lastRestartAt,
    lastExit,
  });
  if (noted.restartPace !== 'crash_looping' || deployment.restartPace === 'crash_looping') return noted;
  const cause = lastExit === null ? '' : `; ${describeExit(lastExit)}`;
  const errorMessage = `Five restarts within ten minutes${cause}`;
  return lifecycle.applyTo(tx, actor, { agent, deployment: noted }, 'crash_loop', { errorMessage });
}

/** Returns true if a report changes the restarts or the last exit. Pure. */
export function reportsRestarts(report: RuntimeReport, deployment: DeploymentEntity): boolean {
  return (
    (report.restartCount !== undefined && report.restartCount !== deployment.restartCount) ||
    (report.lastExit !== undefined && !isDeepStrictEqual(report.lastExit, deployment.lastExit))
  );
}

/** Describes an exit for a log or an error message. Pure. */
function describeExit({ code, signal, message }: LastExit): string {
  const cause = signal === undefined ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`;
  return `the last exit: ${cause}${message === undefined ? '' : `, ${message}`}`;
}
