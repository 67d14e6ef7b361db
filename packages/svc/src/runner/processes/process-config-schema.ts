/**
 * JSON Schema of the config that `readProcessConfig` reads, for people (`svc explain config`). A test holds both against each
 * other, with values at and past each bound.
 */
const COMMAND = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  prefixItems: [{ type: 'string', minLength: 1 }],
};

const seconds = (description: string, absent: number, most = 86_400) => ({
  type: 'number',
  minimum: 0,
  maximum: most,
  default: absent,
  description,
});

const READINESS = {
  type: 'object',
  additionalProperties: false,
  description:
    'When a replica counts as ready. One of `command`, `port` and `seconds`. After three failures in a row it is unready.',
  properties: {
    seconds: seconds('It has run for so long.', 5),
    command: { ...COMMAND, description: 'This program, run again and again, ends with exit code 0.' },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65_535,
      description: 'A process of the replica listens there: replica number n, from 0, at `port` + n.',
    },
    interval_seconds: {
      type: 'number',
      minimum: 0.01,
      maximum: 3_600,
      default: 1,
      description: 'Time between two checks of `command` or `port`.',
    },
    timeout_seconds: {
      type: 'number',
      minimum: 0.01,
      maximum: 3_600,
      default: 5,
      description: 'Longest time of a check.',
    },
  },
  not: {
    anyOf: [
      { required: ['command', 'port'] },
      { required: ['command', 'seconds'] },
      { required: ['port', 'seconds'] },
    ],
  },
};

const RESTART = {
  type: 'object',
  additionalProperties: false,
  description: 'What happens when a replica ends by itself.',
  properties: {
    when: {
      type: 'string',
      enum: ['always', 'failed', 'never'],
      default: 'always',
      description:
        'Which ends are followed by another start. `failed`: any but one with exit code 0, which completes the replica. ' +
        '`never`: none; an end with another exit code fails the deployment.',
    },
    first_delay_seconds: seconds('Time before the first restart. It doubles each time.', 1),
    longest_delay_seconds: seconds('Where the doubling ends.', 60),
    reset_seconds: seconds('After running for so long, the next restart counts as the first one again.', 60),
    give_up_after: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: 5,
      description:
        'Starts in a row that never became ready, with no other replica ready, after which the deployment is `failed`. 0: never.',
    },
  },
};

const RUN = {
  type: 'object',
  additionalProperties: false,
  description: 'The program that is started for each run of the agent, in place of `command`.',
  required: ['command'],
  properties: {
    command: { ...COMMAND, description: 'The program and its arguments. No shell reads it.' },
    concurrency: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 1,
      description: 'Runs at a time of each replica.',
    },
    timeout_seconds: {
      type: 'number',
      minimum: 1,
      maximum: 86_400,
      default: 3_600,
      description: 'Longest time of a run that has no limit of its own.',
    },
  },
};

export const PROCESS_CONFIG_SCHEMA = {
  type: 'object',
  description:
    'The config of an agent that svc run starts. It has one of `command` and `run`. Other keys are yours.',
  properties: {
    command: {
      ...COMMAND,
      description: 'The program of each replica, and its arguments. No shell reads it.',
    },
    run: RUN,
    env: {
      type: 'object',
      // a name has no "=" and no NUL, and a value no NUL
      propertyNames: { minLength: 1, pattern: '^[^=\\u0000]*$' },
      additionalProperties: {
        anyOf: [{ type: 'string', pattern: '^[^\\u0000]*$' }, { type: ['number', 'boolean'] }],
      },
      default: {},
      description: 'Variables of the program. `{"secret": "..."}` in place of a value is never shown again.',
    },
    cwd: { type: 'string', description: 'The directory to start in. Default: that of svc run.' },
    readiness: READINESS,
    stop_grace_seconds: seconds('Time from SIGTERM to SIGKILL.', 10, 120),
    restart: RESTART,
  },
  oneOf: [{ required: ['command'] }, { required: ['run'] }],
};
