import type { Deployment } from '@agent-control-plane/client';
import type { TimeSpan } from './time-ticks.js';

/** A deployment on the time axis of a chart. */
export interface DeployMark {
  readonly deploymentId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `v3`. */
  readonly version: string;
  /** False: the next mark is so near that their labels would overlap. */
  readonly hasLabel: boolean;
}

/** Part of a chart's width that a label takes. */
export const LABEL_SHARE = 0.05;

/** The deployments that were made within a span, oldest first. Of marks that are near each other the newest has the label. */
export function deployMarks(
  deployments: readonly Pick<Deployment, 'id' | 'created_at' | 'config_version'>[],
  { from, until }: TimeSpan,
): DeployMark[] {
  const within = deployments
    .map(({ id, created_at, config_version }) => ({
      deploymentId: id,
      at: Date.parse(created_at),
      version: `v${config_version}`,
    }))
    .filter(({ at }) => at >= from && at <= until)
    .sort((one, other) => one.at - other.at);
  const least = (until - from) * LABEL_SHARE;
  return within.map((mark, index) => {
    const next = within[index + 1];
    return { ...mark, hasLabel: next === undefined || next.at - mark.at >= least };
  });
}
