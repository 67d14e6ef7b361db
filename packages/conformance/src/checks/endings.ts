import { callsTo, isRecord, nameOf, reportsOf } from '../evidence.js';
import type { Check } from './check.js';

export const endsWhenTold: Check = {
  id: 'ends-when-told',
  level: 'must',
  text: 'The agent ends on SIGTERM, with exit code 0, and leaves no replica behind.',
  needs: 'a command that starts the agent',
  examine: ({ ownsAgent, end, overAt, replicas, refusedAt }) => {
    if (!ownsAgent || refusedAt !== null) return null;
    if (!end) return ['It had to be killed'];
    if (end.at < overAt) return [`It ended before it was told to, with ${end.signal ?? `code ${end.code}`}`];
    const left = replicas.filter(({ endedAt }) => endedAt === null).length;
    return [
      ...(end.code === 0 ? [] : [`It ended with ${end.signal ?? `code ${end.code}`}`]),
      ...(left === 0 ? [] : [`It left ${left} replicas behind`]),
    ];
  },
};

export const failsWhenRefused: Check = {
  id: 'fails-when-refused',
  level: 'must',
  text: "The agent's process ends with a code that is not 0 when its key is refused for good.",
  needs: 'a command that starts the agent',
  examine: ({ ownsAgent, end, refusedAt, overAt }) => {
    if (!ownsAgent || refusedAt === null) return null;
    if (!end || end.at > overAt) return ['Its process did not end by itself'];
    return end.code === 0 ? ['Its process ended with code 0'] : [];
  },
};

export const sendsLastHeartbeat: Check = {
  id: 'sends-last-heartbeat',
  level: 'must',
  text: 'The agent sends a last heartbeat on SIGTERM, with the status stopped and no ready replicas.',
  needs: 'a command that starts the agent',
  examine: (evidence) => {
    const { ownsAgent, end, overAt, refusedAt, intervals } = evidence;
    if (!ownsAgent || refusedAt !== null || !end || end.at < overAt || intervals.length === 0) return null;
    const beats = callsTo(evidence, 'heartbeat').filter(({ at }) => at > overAt);
    const last = beats.find(({ body }) => isRecord(body) && body.status === 'stopped');
    if (!last) return ['No heartbeat with the status stopped came after SIGTERM'];
    const isReady = (report: Record<string, unknown>) =>
      // without a count, `ready` means all
      report.ready_replicas === undefined ? report.status === 'ready' : Number(report.ready_replicas) > 0;
    const reports = reportsOf({ calls: [last] });
    return reports.some(({ report }) => isReady(report))
      ? [`It still reports ready replicas in its last heartbeat, ${nameOf(last)}`]
      : [];
  },
};
