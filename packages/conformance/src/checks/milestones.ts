import { QUESTIONS } from './approvals.js';
import type { Rule } from './check.js';
import { RUNS, SEEN_RUNS } from './runs.js';

/** Rules that a scenario checks by waiting for an event. */
export const MILESTONES: Rule[] = [];

/** Adds a rule to {@link MILESTONES}. @param needs kind of agents to which it applies; absent: all */
function milestone(id: string, text: string, needs?: string): Rule {
  const rule: Rule = { id, level: 'must', text, ...(needs !== undefined && { needs }) };
  MILESTONES.push(rule);
  return rule;
}

const REPLICAS = 'replicas that can be seen: they run what `config` says, or hold a connection';
const READINESS = 'replicas that say when they are ready: they run what `config` says, or hold a connection';
const PROGRAMS = 'replicas that are programs of the kit';
const LOGS = 'an agent that sends logs';

export const registers = milestone('registers', 'The agent registers, and tries again until it is answered.');

export const takesCommands = milestone(
  'takes-commands',
  'The agent polls for commands, and takes each one that is due.',
);

export const comesBack = milestone(
  'comes-back',
  'The agent tries again after a failure, an outage or a reply that it can not read, without being restarted.',
);

export const executesOnce = milestone(
  'executes-once',
  'The agent carries out a command once, however often it is delivered.',
  REPLICAS,
);

export const runsWhatIsAsked = milestone(
  'runs-what-is-asked',
  'The agent runs as many replicas as the last command of a deployment asks for.',
  REPLICAS,
);

export const reportsReadiness = milestone(
  'reports-readiness',
  'The agent reports each deployment with its generation and its ready replicas, as soon as they change.',
);

export const worksOn = milestone(
  'works-on',
  'The agent keeps its replicas running while the service is away.',
  REPLICAS,
);

export const survivesOneRefusal = milestone(
  'survives-one-refusal',
  'The agent does not give up its work for a single 401.',
);

export const endsItsWork = milestone(
  'ends-its-work',
  'The agent ends its replicas once its key is refused for good.',
  REPLICAS,
);

export const refusesTheUnknown = milestone(
  'refuses-the-unknown',
  'The agent acknowledges an action that it does not know with success false and an error that says so.',
);

export const logsOn = milestone(
  'logs-on',
  'The agent goes on with the entries that are not refused when one of them is.',
  LOGS,
);

export const readyWhenItIs = milestone(
  'ready-when-it-is',
  'The agent reports no replica as ready before it is.',
  READINESS,
);

export const scaleKeepsReplicas = milestone(
  'scale-keeps-replicas',
  'The agent ends no replica for a scale that could go on.',
  REPLICAS,
);

export const restartReplacesAll = milestone(
  'restart-replaces-all',
  'The agent ends every replica that is older than a restart.',
  REPLICAS,
);

export const replacesOneByOne = milestone(
  'replaces-one-by-one',
  'The agent ends the next replica in a rolling restart only when the new one is ready.',
  READINESS,
);

export const readyAfterTheLast = milestone(
  'ready-after-the-last',
  'The agent reports all replicas as ready only when a rolling restart has replaced the last one.',
  READINESS,
);

export const completesWhatIsDone = milestone(
  'completes-what-is-done',
  'The agent reports a deployment as completed once every replica has ended well for good, not earlier, and starts none of them again.',
  'an agent that does not start a replica again that has ended well',
);

export const replacesTheDead = milestone(
  'replaces-the-dead',
  'The agent starts a replica again that has ended by itself.',
  REPLICAS,
);

export const endsBeforeItSaysSo = milestone(
  'ends-before-it-says-so',
  'The agent acknowledges a stop or kill when the last replica is gone.',
  REPLICAS,
);

export const givesTimeToEnd = milestone(
  'gives-time-to-end',
  'The agent asks the replicas of a stop to end, and gives them time for it.',
  PROGRAMS,
);

export const saysWhatCanNotStart = milestone(
  'says-what-can-not-start',
  'The agent says so when replicas can not be started, with success false and an error, or goes on trying.',
  REPLICAS,
);

export const takesUpItsWork = milestone(
  'takes-up-its-work',
  'The agent runs, when its process starts anew, what the reply to its registration lists as running, and nothing that it lists as stopped.',
  `${REPLICAS}; and a command that starts the agent`,
);

export const sendsAgain = milestone(
  'sends-again',
  'The agent sends a batch again that was not stored because of a failure.',
  LOGS,
);

export const sendsInHalves = milestone(
  'sends-in-halves',
  'The agent sends a batch of logs that is refused with a 413 in smaller ones, and drops no entry that is not refused alone.',
  LOGS,
);

export const killsAtOnce = milestone(
  'kills-at-once',
  'The agent ends the replicas of a kill at once, without the time that it gives to those of a stop.',
  PROGRAMS,
);

export const endsGrandchildren = milestone(
  'ends-grandchildren',
  'The agent ends, with a replica, the processes that the replica has started.',
  PROGRAMS,
);

export const pausesBeforeRestarts = milestone(
  'pauses-before-restarts',
  'The agent pauses before it starts a replica again that keeps dying.',
  REPLICAS,
);

export const remembersOnDisk = milestone(
  'remembers-on-disk',
  'The agent carries out a command once, also where its process has started anew since.',
  `${REPLICAS}; and a command that starts the agent`,
);

export const tellsNewsAtOnce = milestone(
  'tells-news-at-once',
  'The agent sends a heartbeat at once when something changes, and does not wait for the interval.',
);

export const registersWhenAsked = milestone(
  'registers-when-asked',
  'The agent registers again when the reply to a heartbeat asks for it, and goes on with the generations that it is told.',
);

export const takesRuns = milestone(
  'takes-runs',
  'The agent that takes runs takes each one for which it has room.',
  RUNS,
);

export const takesWhatItCanBegin = milestone(
  'takes-what-it-can-begin',
  'The agent takes no run that it can not begin at once, and has no more than the `concurrency` of its config.',
  SEEN_RUNS,
);

export const endsEveryRun = milestone(
  'ends-every-run',
  'The agent reports the end of every run that it takes, until that is answered.',
  RUNS,
);

export const endsRunsEarly = milestone(
  'ends-runs-early',
  'The agent ends a run early that it is asked to, and reports its end.',
  SEEN_RUNS,
);

export const endsOlderAttempts = milestone(
  'ends-older-attempts',
  'The agent that is given a newer attempt of a run ends the work of the older one, and then begins the newer one.',
  SEEN_RUNS,
);

export const letsRunsFinish = milestone(
  'lets-runs-finish',
  'The agent lets the runs under way finish in a rolling restart.',
  SEEN_RUNS,
);

export const actsAsDecided = milestone(
  'acts-as-decided',
  'The agent does work that people are asked about only when it was approved.',
  QUESTIONS,
);

export const dropsAbandonedRuns = milestone(
  'drops-abandoned-runs',
  'The agent does not go on with a run that its registration did not name.',
  `${SEEN_RUNS}; and a command that starts the agent`,
);
