import type { Rule } from './check.js';

/** Rules that a scenario holds the agent to by waiting for what has to happen. */
const milestone = (id: string, level: Rule['level'], text: string): Rule => ({ id, level, text });

export const registers = milestone(
  'registers',
  'must',
  'The agent registers, and tries again until it is answered.',
);

export const takesCommands = milestone(
  'takes-commands',
  'must',
  'The agent polls for commands, and takes each one that is due.',
);

export const comesBack = milestone(
  'comes-back',
  'must',
  'The agent tries again after a failure, an outage or a reply that it can not read, without being restarted.',
);

export const executesOnce = milestone(
  'executes-once',
  'must',
  'The agent carries out a command once, however often it is delivered.',
);

export const runsWhatIsAsked = milestone(
  'runs-what-is-asked',
  'must',
  'The agent runs as many replicas as the last command of a deployment asks for.',
);

export const reportsReadiness = milestone(
  'reports-readiness',
  'should',
  'The agent reports each deployment with its generation and its ready replicas, as soon as they change.',
);

export const worksOn = milestone(
  'works-on',
  'must',
  'The agent keeps its replicas running while the service is away.',
);

export const survivesOneRefusal = milestone(
  'survives-one-refusal',
  'should',
  'The agent does not give up its work for a single 401.',
);

export const endsItsWork = milestone(
  'ends-its-work',
  'must',
  'The agent ends its replicas once its key is refused for good.',
);

export const refusesTheUnknown = milestone(
  'refuses-the-unknown',
  'should',
  'The agent acknowledges an action that it does not know with success false and an error that says so.',
);

export const logsOn = milestone(
  'logs-on',
  'should',
  'The agent goes on with the entries that are not refused when one of them is.',
);

export const MILESTONES: readonly Rule[] = [
  registers,
  takesCommands,
  comesBack,
  executesOnce,
  runsWhatIsAsked,
  reportsReadiness,
  worksOn,
  survivesOneRefusal,
  endsItsWork,
  refusesTheUnknown,
  logsOn,
];
