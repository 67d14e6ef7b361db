import type { Colors } from 'picocolors/types.js';

type Paint = 'green' | 'red' | 'yellow' | 'cyan' | 'dim';

const MEANING: Readonly<Record<string, Paint>> = {
  // agents, deployments, commands, deliveries, runs
  running: 'green',
  ready: 'green',
  succeeded: 'green',
  healthy: 'green',
  queued: 'cyan',
  creating: 'cyan',
  deploying: 'cyan',
  pending: 'cyan',
  leased: 'cyan',
  progressing: 'cyan',
  degraded: 'yellow',
  offline: 'yellow',
  paused: 'yellow',
  waiting: 'yellow',
  failing: 'red',
  idle: 'dim',
  failed: 'red',
  dead: 'red',
  timed_out: 'red',
  abandoned: 'red',
  stopped: 'dim',
  killed: 'dim',
  cancelled: 'dim',
  superseded: 'dim',
  deleting: 'dim',
  // approvals and their risks
  approved: 'green',
  edited: 'green',
  rejected: 'red',
  responded: 'cyan',
  expired: 'yellow',
  withdrawn: 'dim',
  low: 'dim',
  medium: 'yellow',
  high: 'red',
  // budgets
  ok: 'green',
  exceeded: 'red',
  // levels of a log
  debug: 'dim',
  warning: 'yellow',
  error: 'red',
  critical: 'red',
};

/** Colours a state or level by its meaning. @param text may be padded */
export function paintStatus(text: string, colors: Colors): string {
  const paint = MEANING[text.trim()];
  return paint ? colors[paint](text) : text;
}
