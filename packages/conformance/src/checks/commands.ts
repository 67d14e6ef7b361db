import { type Call, callsTo, isRecord, listedIn, nameOf, reportsOf } from '../evidence.js';
import type { CommandStory, Evidence } from '../evidence.js';
import type { Check } from './check.js';

/** Time in which a heartbeat may still be on its way with the state before a command; milliseconds. */
const CROSSING_MS = 1_000;
/**
 * Time after its answer by which a heartbeat with knowledge of a command must have arrived, at an interval of a second.
 * The one that may have crossed it does not count; milliseconds.
 */
export const KNOWN_AFTER_MS = CROSSING_MS + 1_500;
/** Number of tolerated acknowledgements beyond those for deliveries and failures. */
const TOLERATED_REPETITIONS = 1;

export const acknowledgesEverything: Check = {
  id: 'acknowledges-everything',
  level: 'must',
  text: 'The agent acknowledges every command it is given, each time it is given, until an acknowledgement is answered.',
  examine: ({ commands }) => {
    const delivered = commands.filter(({ deliveries, isGone }) => deliveries.length > 0 && !isGone);
    if (delivered.length === 0) return null;
    return delivered.flatMap((command) => {
      const last = command.deliveries.at(-1)!;
      const answered = command.acknowledgements.filter(({ call }) => call.status === 200);
      if (answered.some(({ call }) => (call.endedAt ?? 0) >= last.at)) return [];
      const times = command.deliveries.length === 1 ? '' : ` for the ${command.deliveries.length}th time`;
      return [`It was given ${titleOf(command)}${times} in call ${last.call} and never acknowledged it`];
    });
  },
};

export const acknowledgesTheGiven: Check = {
  id: 'acknowledges-the-given',
  level: 'must',
  text: 'The agent acknowledges commands that it was given, and no others.',
  examine: (evidence) => {
    const acknowledgements = callsTo(evidence, 'acknowledge');
    if (acknowledgements.length === 0) return null;
    const known = new Set(evidence.commands.filter(wasDelivered).map(({ id }) => id));
    return acknowledgements
      .filter((call) => !known.has(commandOf(call)))
      .map((call) => `Nobody gave it the command of ${nameOf(call)}`);
  },
};

export const acknowledgesOnce: Check = {
  id: 'acknowledges-once',
  level: 'must',
  text: 'The agent takes a 200 for the end of an acknowledgement, also when it says duplicate.',
  examine: ({ commands }) => {
    const acknowledged = commands.filter(({ acknowledgements }) => acknowledgements.length > 0);
    if (acknowledged.length === 0) return null;
    return acknowledged.flatMap((command) => {
      const answered = command.acknowledgements.filter(({ call }) => call.status === 200);
      const surplus = answered.length - Math.max(1, command.deliveries.length);
      return surplus > TOLERATED_REPETITIONS
        ? [
            `It acknowledged ${titleOf(command)} ${surplus} times more than it was given, last in ${nameOf(answered.at(-1)!.call)}`,
          ]
        : [];
    });
  },
};

export const forgetsTheGone: Check = {
  id: 'forgets-the-gone',
  level: 'must',
  text: 'The agent takes a 404 for the end of an acknowledgement.',
  examine: (evidence) => {
    const acknowledgements = callsTo(evidence, 'acknowledge');
    const unknown = acknowledgements.filter(({ status, trouble }) => status === 404 && trouble === null);
    if (unknown.length === 0) return null;
    return unknown.flatMap((call) => {
      const again = acknowledgements.find(
        (later) => later.number > call.number && commandOf(later) === commandOf(call),
      );
      return again ? [`After the 404 of ${nameOf(call)} it came again in ${nameOf(again)}`] : [];
    });
  },
};

export const keepsItsWord: Check = {
  id: 'keeps-its-word',
  level: 'must',
  text: 'The agent says the same of a command each time it acknowledges it.',
  examine: ({ commands }) => {
    const repeated = commands.filter(({ acknowledgements }) => acknowledgements.length > 1);
    if (repeated.length === 0) return null;
    return repeated.flatMap((command) => {
      const [first, ...later] = command.acknowledgements;
      const other = later.find(({ success }) => success !== first!.success);
      return other
        ? [`Of ${titleOf(command)} it first said ${String(first!.success)}, then ${nameOf(other.call)}`]
        : [];
    });
  },
};

export const carriesOut: Check = {
  id: 'carries-out',
  level: 'must',
  text: 'The agent carries out deploy, scale, restart, stop and kill, also for a deployment that it knows nothing of.',
  examine: ({ commands }) => {
    const answered = commands.filter(
      ({ action, isImpossible, isOfRuns, acknowledgements: [first] }) =>
        isOrdinary(action) && !isImpossible && !isOfRuns && first,
    );
    if (answered.length === 0) return null;
    return answered
      .filter(({ acknowledgements: [first] }) => first!.success !== true)
      .map((command) => `It could not ${titleOf(command)}: ${nameOf(command.acknowledgements[0]!.call)}`);
  },
};

export const reportsWhatIs: Check = {
  id: 'reports-what-is',
  level: 'must',
  text: 'The agent reports nothing as running that it was told to stop or kill.',
  examine: (evidence) => {
    const ended = evidence.commands.filter(
      ({ action, acknowledgements }) => isEnd(action) && acknowledgements.length > 0,
    );
    if (ended.length === 0) return null;
    return ended.flatMap((command) => {
      const endedAt = command.acknowledgements[0]!.call.at + CROSSING_MS + evidence.lateMs;
      const next = startAfter(command, evidence);
      const wrong = reportsOf(evidence).find(
        ({ call, report }) =>
          report.deployment_id === command.deploymentId &&
          call.at > endedAt &&
          call.at < next &&
          (report.status === 'running' || report.status === 'ready' || Number(report.ready_replicas) > 0),
      );
      return wrong
        ? [
            `After ${titleOf(command)} it reports the deployment ${String(wrong.report.status)} in ${nameOf(wrong.call)}`,
          ]
        : [];
    });
  },
};

/** The time at which a later command, or a registration of a service that has lost this one, starts the deployment again. */
function startAfter(command: CommandStory, evidence: Evidence): number {
  const { commands } = evidence;
  const { deploymentId, acknowledgements } = command;
  const later = commands.slice(commands.indexOf(command) + 1);
  const start = later.find((it) => it.deploymentId === deploymentId && !isEnd(it.action));
  const endedAt = acknowledgements[0]?.call.at ?? 0;
  const registration = callsTo(evidence, 'register').find(
    (call) =>
      call.at > endedAt &&
      listedIn(call).some(
        ({ id, status }) => id === deploymentId && (status === 'running' || status === 'ready'),
      ),
  );
  return Math.min(start?.deliveries[0]?.at ?? Infinity, registration?.at ?? Infinity);
}

/** The id of the acknowledged command. */
function commandOf({ body }: Call): string {
  return String(isRecord(body) ? body.command_id : '').toLowerCase();
}

function wasDelivered({ deliveries, acknowledgements }: CommandStory): boolean {
  return deliveries.length > 0 || acknowledgements.length > 0;
}

function isEnd(action: string): boolean {
  return action === 'stop' || action === 'kill';
}

function isOrdinary(action: string): boolean {
  return ['deploy', 'scale', 'restart', 'stop', 'kill'].includes(action);
}

export function titleOf({ action, isRolling, generation, replicas }: CommandStory): string {
  return `${isRolling ? 'rolling ' : ''}${action} (generation ${generation}, ${replicas} replicas)`;
}
